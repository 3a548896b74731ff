// One program for a whole Kubernetes cluster of a test: its store, its control plane, and kubelets that pretend (KWOK).
// The first argument names the part to run.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.etcd.io/etcd/server/v3/etcdmain"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kwokconfig "sigs.k8s.io/kwok/pkg/config"
	kwok "sigs.k8s.io/kwok/pkg/kwok/cmd"
	kwoklog "sigs.k8s.io/kwok/pkg/log"
	"sigs.k8s.io/kwok/pkg/utils/signals"
)

func main() {
	parts := map[string]func() int{
		"etcd":                    etcd,
		"kube-apiserver":          kubernetes(apiserver.NewAPIServerCommand),
		"kube-controller-manager": kubernetes(controllers.NewControllerManagerCommand),
		"kube-scheduler":          kubernetes(func() *cobra.Command { return scheduler.NewSchedulerCommand() }),
		"kwok":                    kubelets,
	}
	if len(os.Args) > 1 {
		if run, ok := parts[os.Args[1]]; ok {
			os.Args = os.Args[1:]
			os.Exit(run())
		}
	}
	fmt.Fprintln(os.Stderr, "usage: control-plane etcd|kube-apiserver|kube-controller-manager|kube-scheduler|kwok [flags]")
	os.Exit(2)
}

func etcd() int {
	etcdmain.Main(os.Args)
	return 0
}

func kubernetes(command func() *cobra.Command) func() int {
	return func() int { return cli.Run(command()) }
}

// As KWOK's own main does, without its version: that flag clashes with the one of Kubernetes.
func kubelets() int {
	flags := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.ParseErrorsAllowlist.UnknownFlags = true
	flags.Usage = func() {}
	ctx, _ := kwoklog.InitFlags(signals.SetupSignalContext(), flags)
	ctx, err := kwokconfig.InitFlags(ctx, flags)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	command := kwok.NewCommand(ctx)
	command.Version = ""
	command.PersistentFlags().AddFlagSet(flags)
	if err := command.ExecuteContext(ctx); err != nil {
		return 1
	}
	return 0
}
