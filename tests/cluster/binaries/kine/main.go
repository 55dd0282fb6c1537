// Command kine serves the protocol of etcd from an SQLite file, without TLS and metrics: k3s's kine
// without the drivers of other databases, which are most of what there is to compile.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math"
	"net"
	"os"
	"os/signal"
	"runtime/debug"
	"sync"
	"syscall"
	"time"

	"github.com/k3s-io/kine/pkg/drivers"
	"github.com/k3s-io/kine/pkg/drivers/generic"
	_ "github.com/k3s-io/kine/pkg/drivers/sqlite" // registers itself
	"github.com/k3s-io/kine/pkg/server"
	"github.com/sirupsen/logrus"
	"google.golang.org/grpc"
	"google.golang.org/grpc/keepalive"
)

const (
	module = "github.com/k3s-io/kine"

	// What kine's own program has when nothing else is asked for.
	idleConnections     = 20
	connectionIdleTime  = 2 * time.Minute
	compactTimeout      = 5 * time.Second
	compactRetain       = 1000
	compactBatch        = 1000
	pollBatch           = 500
	progressInterval    = 5 * time.Second
	emulatedEtcdVersion = "3.6.11"
	gracefulStop        = 2 * time.Second

	// What etcd's server has, and kine's after it.
	keepaliveLeast    = 5 * time.Second
	keepaliveInterval = 2 * time.Hour
	keepaliveTimeout  = 20 * time.Second
	requestBytes      = 2 * 1024 * 1024
)

func main() {
	endpoint := flag.String("endpoint", "", "the database: sqlite://FILE?OPTIONS")
	address := flag.String("listen-address", "127.0.0.1:2379", "HOST:PORT to serve on")
	version := flag.Bool("version", false, "say the version of kine and end")
	flag.Parse()
	if *version {
		fmt.Println("kine", moduleVersion())
		return
	}
	if *endpoint == "" || flag.NArg() > 0 {
		flag.Usage()
		os.Exit(2)
	}
	ended, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := serve(ended, *endpoint, *address); err != nil {
		logrus.Fatal(err)
	}
}

// serve returns once ended is done and what was under way is over.
func serve(ended context.Context, endpoint, address string) error {
	var work sync.WaitGroup
	open, closeBackend := context.WithCancel(context.Background())
	_, backend, err := drivers.New(open, &work, &drivers.Config{
		Endpoint: endpoint,
		ConnectionPoolConfig: generic.ConnectionPoolConfig{
			MaxIdle: idleConnections, MaxIdleTime: connectionIdleTime},
		CompactTimeout:   compactTimeout,
		CompactMinRetain: compactRetain,
		CompactBatchSize: compactBatch,
		PollBatchSize:    pollBatch,
	})
	if err != nil {
		// Not closed: kine would crash over a database that it could not open.
		return fmt.Errorf("opening %s: %w", endpoint, err)
	}
	defer work.Wait()
	defer closeBackend()
	if err := backend.Start(open); err != nil {
		return fmt.Errorf("starting on %s: %w", endpoint, err)
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	etcd := grpc.NewServer(
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: keepaliveLeast}),
		grpc.KeepaliveParams(keepalive.ServerParameters{
			Time: keepaliveInterval, Timeout: keepaliveTimeout}),
		grpc.MaxConcurrentStreams(math.MaxUint32),
		grpc.MaxRecvMsgSize(requestBytes),
		grpc.MaxSendMsgSize(math.MaxInt32))
	server.New(backend, "http", progressInterval, emulatedEtcdVersion).Register(etcd)
	// Watches never end by themselves.
	context.AfterFunc(ended, func() {
		time.AfterFunc(gracefulStop, etcd.Stop)
		etcd.GracefulStop()
	})
	logrus.Infof("kine %s serves %s on %s", moduleVersion(), endpoint, listener.Addr())
	if err := etcd.Serve(listener); err != nil && !errors.Is(err, grpc.ErrServerStopped) {
		return err
	}
	return nil
}

func moduleVersion() string {
	if build, ok := debug.ReadBuildInfo(); ok {
		for _, dependency := range build.Deps {
			if dependency.Path == module {
				return dependency.Version
			}
		}
	}
	return "unknown"
}
