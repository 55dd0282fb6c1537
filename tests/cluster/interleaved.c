/* The load of the workload primes as a pod of an Indexed Job takes its share of it: of the odd
   candidates every POD'th, beginning with its own index; each divided by 3, 5, 7 ... until one
   divides it. Prints how many of them are prime. Usage: interleaved END PODS */
#include <stdio.h>
#include <stdlib.h>

static int IsPrime(unsigned candidate) {
  for (unsigned divisor = 3; divisor < candidate; divisor += 2)
    if (candidate % divisor == 0) return 0;
  return 1;
}

int main(int argc, char** argv) {
  const char* const text = getenv("JOB_COMPLETION_INDEX");
  if (argc != 3 || text == NULL) return 2;
  const unsigned end = (unsigned)atol(argv[1]);
  const unsigned pods = (unsigned)atol(argv[2]);
  const unsigned index = (unsigned)atol(text);
  long found = index == 0 && end >= 2; /* 2 is even, and counted once */
  for (unsigned candidate = 3 + 2 * index; candidate <= end; candidate += 2 * pods)
    found += IsPrime(candidate);
  printf("%ld\n", found);
  return 0;
}
