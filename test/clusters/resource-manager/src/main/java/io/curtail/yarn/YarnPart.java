package io.curtail.yarn;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.hadoop.metrics2.lib.DefaultMetricsSystem;
import org.apache.hadoop.yarn.conf.YarnConfiguration;
import org.apache.hadoop.yarn.server.nodemanager.ContainerExecutor;
import org.apache.hadoop.yarn.server.nodemanager.NodeManager;
import org.apache.hadoop.yarn.server.resourcemanager.ResourceManager;

/**
 * One part of a real YARN: the ResourceManager, or NodeManagers, in a process that can be killed and started again. Only the containers
 * are pretended ({@link PretendExecutor}): each costs a thread and nothing else.
 *
 * <p>Arguments: manager FOLDER PORT, or nodes FOLDER PORT COUNT FIRST_PORT. PORT is that of the manager's REST API; its other ports are the
 * next four. Each node takes four ports.
 */
public final class YarnPart {
  public static void main(String[] args) throws Exception {
    Path folder = Files.createDirectories(Path.of(args[1]).toAbsolutePath());
    int port = Integer.parseInt(args[2]);
    DefaultMetricsSystem.setMiniClusterMode(true); // several nodes register the same metrics
    YarnConfiguration conf = new YarnConfiguration();
    loopback(conf, "yarn.resourcemanager.webapp.address", port);
    loopback(conf, "yarn.resourcemanager.address", port + 1);
    loopback(conf, "yarn.resourcemanager.scheduler.address", port + 2);
    loopback(conf, "yarn.resourcemanager.resource-tracker.address", port + 3);
    loopback(conf, "yarn.resourcemanager.admin.address", port + 4);
    conf.set("hadoop.tmp.dir", folder.toString());
    conf.set("yarn.resourcemanager.fs.state-store.uri", folder.resolve("state").toUri().toString());
    conf.set("yarn.scheduler.configuration.fs.path", folder.resolve("scheduler").toUri().toString());
    conf.setInt("yarn.resourcemanager.connect.retry-interval.ms", 100);
    if (args[0].equals("manager")) {
      Files.createDirectories(folder.resolve("scheduler"));
      ResourceManager manager = new ResourceManager();
      manager.init(conf);
      manager.start();
    } else {
      startNodes(conf, folder, Integer.parseInt(args[3]), Integer.parseInt(args[4]));
    }
  }

  private static void startNodes(YarnConfiguration conf, Path folder, int count, int firstPort) throws Exception {
    for (int node = 0; node < count; node++) {
      int first = firstPort + 4 * node;
      YarnConfiguration own = new YarnConfiguration(conf);
      loopback(own, "yarn.nodemanager.address", first);
      loopback(own, "yarn.nodemanager.localizer.address", first + 1);
      loopback(own, "yarn.nodemanager.webapp.address", first + 2);
      loopback(own, "yarn.nodemanager.collector-service.address", first + 3);
      own.set("yarn.nodemanager.local-dirs", folder.resolve("node" + node + "/local").toString());
      own.set("yarn.nodemanager.log-dirs", folder.resolve("node" + node + "/logs").toString());
      own.setClass("yarn.nodemanager.container-executor.class", PretendExecutor.class, ContainerExecutor.class);
      own.setBoolean("yarn.nodemanager.container-monitor.enabled", false);
      own.setFloat("yarn.nodemanager.disk-health-checker.max-disk-utilization-per-disk-percentage", 100f);
      NodeManager daemon = new NodeManager();
      daemon.init(own);
      new Thread(daemon::start, "yarn-node-" + node).start(); // waits for the manager
      while (!listens(first + 2)) Thread.sleep(20); // web servers of one process start one after another
    }
  }

  private static boolean listens(int port) {
    try (Socket socket = new Socket("127.0.0.1", port)) {
      return true;
    } catch (IOException e) {
      return false;
    }
  }

  private static void loopback(YarnConfiguration conf, String key, int port) {
    conf.set(key, "127.0.0.1:" + port);
  }
}
