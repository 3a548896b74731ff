package io.curtail.yarn;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.hadoop.fs.Path;
import org.apache.hadoop.hdfs.protocol.datatransfer.IOStreamPair;
import org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor;
import org.apache.hadoop.yarn.server.nodemanager.Context;
import org.apache.hadoop.yarn.server.nodemanager.executor.ContainerExecContext;
import org.apache.hadoop.yarn.server.nodemanager.executor.ContainerLivenessContext;
import org.apache.hadoop.yarn.server.nodemanager.executor.ContainerReapContext;
import org.apache.hadoop.yarn.server.nodemanager.executor.ContainerSignalContext;
import org.apache.hadoop.yarn.server.nodemanager.executor.ContainerStartContext;
import org.apache.hadoop.yarn.server.nodemanager.executor.DeletionAsUserContext;
import org.apache.hadoop.yarn.server.nodemanager.executor.LocalizerStartContext;

/**
 * Runs no processes. A container is a waiting thread; what it does comes from its environment:
 * TEST_RUNS seconds until it ends by itself (default: never), TEST_STOPS_AFTER milliseconds from a graceful signal
 * to its end (default 0; -1 = ignores it). TEST_LOSES is the number of its first signals that are lost. TEST_TASKS makes it an application master, see {@link PretendMaster}.
 */
public final class PretendExecutor extends ContainerExecutor {
  private static final AtomicInteger PIDS = new AtomicInteger(10_000_000); // above any real process id
  private final Map<String, Pretended> running = new ConcurrentHashMap<>();

  private static final class Pretended {
    private Integer code;
    final AtomicInteger signals = new AtomicInteger();

    synchronized void end(int with) {
      if (code == null) code = with;
      notifyAll();
    }

    synchronized Integer await(long millis) throws InterruptedException {
      long until = System.currentTimeMillis() + millis;
      while (code == null && System.currentTimeMillis() < until) wait(until - System.currentTimeMillis());
      return code;
    }
  }

  @Override
  public int launchContainer(ContainerStartContext start) throws IOException {
    var launch = start.getContainer().getLaunchContext();
    Map<String, String> env = launch.getEnvironment();
    String pid = String.valueOf(PIDS.incrementAndGet());
    var container = new Pretended();
    running.put(pid, container);
    // The node reads the process id from this file; without it no signal ever reaches the container.
    Path pidFile = getPidFilePath(start.getContainer().getContainerId());
    if (pidFile != null) Files.writeString(new File(pidFile.toString()).toPath(), pid + "\n");
    try {
      if (env.containsKey("TEST_TASKS")) new PretendMaster(getConf(), start, env, container::end).start();
      long runs = Long.parseLong(env.getOrDefault("TEST_RUNS", "31536000")) * 1000;
      Integer code = container.await(runs);
      return code == null ? 0 : code;
    } catch (InterruptedException e) {
      return ExitCode.TERMINATED.getExitCode();
    } finally {
      running.remove(pid);
    }
  }

  @Override
  public boolean signalContainer(ContainerSignalContext signal) {
    Pretended container = running.get(signal.getPid());
    if (container == null) return false;
    if (signal.getSignal() != Signal.TERM && signal.getSignal() != Signal.KILL) return true;
    Map<String, String> env = signal.getContainer().getLaunchContext().getEnvironment();
    if (container.signals.getAndIncrement() < Integer.parseInt(env.getOrDefault("TEST_LOSES", "0"))) return true;
    if (signal.getSignal() == Signal.KILL) container.end(ExitCode.FORCE_KILLED.getExitCode());
    if (signal.getSignal() == Signal.TERM) {
      long after = Long.parseLong(env.getOrDefault("TEST_STOPS_AFTER", "0"));
      if (after == 0) container.end(ExitCode.TERMINATED.getExitCode());
      if (after > 0) later(after, () -> container.end(ExitCode.TERMINATED.getExitCode()));
    }
    return true;
  }

  private static void later(long millis, Runnable what) {
    Thread thread = new Thread(() -> {
      try {
        Thread.sleep(millis);
      } catch (InterruptedException e) {
        return;
      }
      what.run();
    }, "yarn-grace");
    thread.setDaemon(true);
    thread.start();
  }

  @Override
  public boolean isContainerAlive(ContainerLivenessContext context) {
    return running.containsKey(context.getPid());
  }

  @Override
  public int relaunchContainer(ContainerStartContext start) throws IOException {
    return launchContainer(start);
  }

  @Override public void init(Context context) {}
  @Override public void startLocalizer(LocalizerStartContext context) {}
  @Override public boolean reapContainer(ContainerReapContext context) { return true; }
  @Override public IOStreamPair execContainer(ContainerExecContext context) { return null; }
  @Override public void deleteAsUser(DeletionAsUserContext context) {}
  @Override public void symLink(String target, String symlink) {}
  @Override public void updateYarnSysFS(Context context, String user, String app, String spec) {}
}
