/* What the container commands of command_test.py run: all that there is in their image. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

static long index_of_task(void) {
  const char* index = getenv("JOB_COMPLETION_INDEX");
  return index == NULL ? -1 : strtol(index, NULL, 10);
}

static int fails(const char* why) {
  fprintf(stderr, "%s\n", why);
  return 1;
}

/* square MILLISECONDS: takes its time, then says what the square of its index is. */
static int square(int argc, char** argv) {
  if (argc != 1) return fails("square MILLISECONDS");
  const long milliseconds = strtol(argv[0], NULL, 10);
  const struct timespec pause = {milliseconds / 1000, milliseconds % 1000 * 1000000};
  nanosleep(&pause, NULL);
  printf("%ld\n", index_of_task() * index_of_task());
  return 0;
}

/* burn MILLISECONDS...: computes for so long, each task for as long as the word of its index says. */
static int burn(int argc, char** argv) {
  if (argc < 1) return fails("burn MILLISECONDS...");
  const long milliseconds = strtol(argv[index_of_task() % argc], NULL, 10);
  struct timespec used;
  do {
    for (volatile long n = 0; n < 100000; ++n) {
    }
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  } while (used.tv_sec * 1000 + used.tv_nsec / 1000000 < milliseconds);
  return 0;
}

/* exit CODE...: tasks take turns at the codes. */
static int exit_codes(int argc, char** argv) {
  if (argc < 1) return fails("exit CODE...");
  printf("output\n");
  fprintf(stderr, "complaint\n");
  return (int)strtol(argv[index_of_task() % argc], NULL, 10);
}

/* demand PATH EVERY: as square 0, but each EVERYth task fails while the path does not exist. */
static int demand(int argc, char** argv) {
  if (argc != 2) return fails("demand PATH EVERY");
  char* const no_pause[] = {"0"};
  const int is_fragile = index_of_task() % strtol(argv[1], NULL, 10) == 0;
  if (is_fragile && access(argv[0], F_OK) != 0) return fails("the file is missing");
  return square(1, (char**)no_pause);
}

/* shun NODE: will not do on that node. */
static int shun(int argc, char** argv) {
  if (argc != 1) return fails("shun NODE");
  const char* here = getenv("EVENKEEL_NODE");
  return here != NULL && strcmp(here, argv[0]) != 0 ? 0 : fails("not here");
}

/* show WORD...: of a path the first line of the file there, or "-"; of a word that begins with '=' the
   rest of it; of any other the variable of that name. */
static int show(int argc, char** argv) {
  for (int n = 0; n < argc; ++n) {
    char line[4096] = "-\n";
    const char* value = getenv(argv[n]);
    if (argv[n][0] == '=') {
      snprintf(line, sizeof line, "%s\n", argv[n] + 1);
    } else if (argv[n][0] != '/') {
      snprintf(line, sizeof line, "%s\n", value == NULL ? "-" : value);
    } else {
      FILE* file = fopen(argv[n], "r");
      if (file != NULL) {
        if (fgets(line, sizeof line, file) == NULL) snprintf(line, sizeof line, "\n");
        fclose(file);
      }
    }
    fputs(line, stdout);
  }
  return 0;
}

/* write PATH...: says who it is, and which of the files it can make. */
static int write_files(int argc, char** argv) {
  printf("%ld", (long)getuid());
  for (int n = 0; n < argc; ++n) {
    FILE* file = fopen(argv[n], "w");
    printf(" %s", file == NULL ? "no" : "yes");
    if (file != NULL) fclose(file);
  }
  printf("\n");
  return 0;
}

/* eat MEBIBYTES...: uses so much memory, each task as much as the word of its index says. */
static int eat(int argc, char** argv) {
  if (argc < 1) return fails("eat MEBIBYTES...");
  const size_t bytes = (size_t)strtol(argv[index_of_task() % argc], NULL, 10) << 20;
  char* const memory = malloc(bytes);
  if (memory == NULL) return fails("there is no such memory");
  for (size_t n = 0; n < bytes; n += 4096) memory[n] = (char)n;
  printf("%d\n", memory[bytes / 2]);
  free(memory);
  return 0;
}

/* topple INDEX MEBIBYTES: the task of that index fills so much memory, so that the kernel kills the
   first process of its container. */
static int topple(int argc, char** argv) {
  if (argc != 2) return fails("topple INDEX MEBIBYTES");
  if (index_of_task() != strtol(argv[0], NULL, 10)) return 0;
  FILE* const score = fopen("/proc/1/oom_score_adj", "w");
  if (score == NULL || fputs("1000", score) < 0 || fclose(score) != 0) {
    return fails("the score of the first process cannot be raised");
  }
  /* The kernel counts memory of a file for the container, but for no process. It kills the process
     with the highest score then. */
  static const char bytes[1 << 14];
  const int file = memfd_create("topple", 0);
  if (file < 0) return fails("no file in memory can be made");
  for (long left = strtol(argv[1], NULL, 10) << 6; left > 0; --left) {
    if (write(file, bytes, sizeof bytes) < 0) return fails("the file in memory cannot be written");
  }
  return 0;
}

/* count FILE: writes the number of lines of the file into lines.txt in the working directory. */
static int count_lines(int argc, char** argv) {
  FILE* const from = argc == 1 ? fopen(argv[0], "r") : NULL;
  FILE* const to = from == NULL ? NULL : fopen("lines.txt", "w");
  if (to == NULL) return fails("count FILE");
  long lines = 0;
  for (int c = fgetc(from); c != EOF; c = fgetc(from)) lines += c == '\n';
  fprintf(to, "%ld\n", lines);
  return fclose(to) == 0 ? 0 : fails("lines.txt cannot be written");
}

/* shrink PICTURE THUMBNAIL MILLISECONDS: makes a PGM picture of a quarter of the width and the height, of
   the mean of 4 x 4 points each. Takes its time. */
static int shrink(int argc, char** argv) {
  if (argc != 3) return fails("shrink PICTURE THUMBNAIL MILLISECONDS");
  int width = 0;
  int height = 0;
  FILE* const from = fopen(argv[0], "rb");
  if (from == NULL || fscanf(from, "P5 %d %d 255", &width, &height) != 2) return fails("no picture");
  fgetc(from);
  FILE* const to = fopen(argv[1], "wb");
  long* const sums = calloc((size_t)(width / 4), sizeof *sums);
  if (to == NULL || sums == NULL) return fails("no thumbnail can be made");
  fprintf(to, "P5 %d %d 255\n", width / 4, height / 4);
  for (int y = 0; y < height / 4 * 4; ++y) {
    for (int x = 0; x < width; ++x) {
      const int point = fgetc(from);
      if (point == EOF) return fails("the picture ends early");
      if (x / 4 < width / 4) sums[x / 4] += point;
    }
    for (int x = 0; y % 4 == 3 && x < width / 4; ++x) {
      fputc((int)(sums[x] / 16), to);
      sums[x] = 0;
    }
  }
  if (fclose(to) != 0) return fails("the thumbnail cannot be written");
  char* const pause[] = {argv[2]};
  return square(1, (char**)pause);
}

int main(int argc, char** argv) {
  static const struct {
    const char* name;
    int (*run)(int, char**);
  } verbs[] = {{"square", square}, {"burn", burn},         {"exit", exit_codes}, {"demand", demand},
               {"shun", shun},     {"show", show},         {"write", write_files}, {"count", count_lines},
               {"eat", eat},       {"topple", topple},     {"shrink", shrink}};
  for (unsigned n = 0; argc > 1 && n < sizeof verbs / sizeof *verbs; ++n) {
    if (strcmp(argv[1], verbs[n].name) == 0) return verbs[n].run(argc - 2, argv + 2);
  }
  return fails("which verb?");
}
