package io.curtail.yarn;

import java.io.File;
import java.security.PrivilegedExceptionAction;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntConsumer;
import org.apache.hadoop.conf.Configuration;
import org.apache.hadoop.security.Credentials;
import org.apache.hadoop.security.UserGroupInformation;
import org.apache.hadoop.security.token.TokenIdentifier;
import org.apache.hadoop.security.token.Token;
import org.apache.hadoop.yarn.api.records.Container;
import org.apache.hadoop.yarn.api.records.ContainerId;
import org.apache.hadoop.yarn.api.records.ContainerLaunchContext;
import org.apache.hadoop.yarn.api.records.FinalApplicationStatus;
import org.apache.hadoop.yarn.api.records.Priority;
import org.apache.hadoop.yarn.api.records.Resource;
import org.apache.hadoop.yarn.client.ClientRMProxy;
import org.apache.hadoop.yarn.client.api.AMRMClient;
import org.apache.hadoop.yarn.client.api.AMRMClient.ContainerRequest;
import org.apache.hadoop.yarn.client.api.NMClient;
import org.apache.hadoop.yarn.client.api.NMTokenCache;
import org.apache.hadoop.yarn.security.AMRMTokenIdentifier;
import org.apache.hadoop.yarn.server.nodemanager.executor.ContainerStartContext;

/**
 * An application master inside the NodeManager's process. TEST_TASKS lists what it asks for, for example
 * "20x512:1,4x2048:2@5": 20 containers of 512 MB and 1 core, 4 of 2048 MB and 2 cores at request priority 5.
 * TEST_RETRY=true asks again for every container that was lost. It ends when none is left.
 */
final class PretendMaster extends Thread {
  private record Task(int memory, int cores, int priority) {}

  private final Configuration conf;
  private final ContainerStartContext start;
  private final Map<String, String> env;
  private final IntConsumer end;

  PretendMaster(Configuration conf, ContainerStartContext start, Map<String, String> env, IntConsumer end) {
    super("yarn-master-" + start.getAppId());
    setDaemon(true);
    this.conf = new Configuration(conf);
    this.start = start;
    this.env = env;
    this.end = end;
  }

  @Override
  public void run() {
    try {
      var user = UserGroupInformation.createRemoteUser(start.getUser());
      Credentials credentials =
          Credentials.readTokenStorageFile(new File(start.getNmPrivateTokensPath().toUri().getPath()), conf);
      for (Token<? extends TokenIdentifier> token : credentials.getAllTokens()) {
        if (token.getKind().equals(AMRMTokenIdentifier.KIND_NAME)) {
          token.setService(ClientRMProxy.getAMRMTokenService(conf));
        }
        user.addToken(token);
      }
      user.doAs((PrivilegedExceptionAction<Void>) () -> {
        master();
        return null;
      });
      end.accept(0);
    } catch (Exception e) {
      e.printStackTrace();
      end.accept(1);
    }
  }

  private void master() throws Exception {
    AMRMClient<ContainerRequest> scheduler = AMRMClient.createAMRMClient();
    var tokens = new NMTokenCache(); // the default one is shared by the process, and masters would mix up their tokens
    scheduler.setNMTokenCache(tokens);
    scheduler.init(conf);
    scheduler.start();
    NMClient nodes = NMClient.createNMClient();
    nodes.setNMTokenCache(tokens);
    nodes.init(conf);
    nodes.start();
    nodes.cleanupRunningContainersOnStop(false);
    scheduler.registerApplicationMaster("localhost", 0, "");

    Deque<Task> wanted = new ArrayDeque<>();
    for (String part : env.get("TEST_TASKS").split(",")) {
      String[] field = part.trim().split("[x:@]");
      int priority = field.length > 3 ? Integer.parseInt(field[3]) : 0;
      for (int i = 0; i < Integer.parseInt(field[0]); i++) {
        wanted.add(new Task(Integer.parseInt(field[1]), Integer.parseInt(field[2]), priority));
      }
    }
    int left = wanted.size();
    Map<Task, Integer> asked = new HashMap<>();
    Map<ContainerId, Task> held = new HashMap<>();
    Map<String, String> own = new HashMap<>(env);
    own.remove("TEST_TASKS");

    while (left > 0) {
      for (Task task; (task = wanted.poll()) != null; ) {
        scheduler.addContainerRequest(new ContainerRequest(
            Resource.newInstance(task.memory, task.cores), null, null, Priority.newInstance(task.priority)));
        asked.merge(task, 1, Integer::sum);
      }
      var answer = scheduler.allocate(0.1f);
      for (Container container : answer.getAllocatedContainers()) {
        // An answered request has to be taken back, or the client asks for it for ever.
        scheduler.getMatchingRequests(container.getPriority(), "*", container.getResource()).stream()
            .flatMap(same -> same.stream()).findFirst().ifPresent(scheduler::removeContainerRequest);
        Task task = new Task((int) container.getResource().getMemorySize(),
            container.getResource().getVirtualCores(), container.getPriority().getPriority());
        // YARN hands out more than was asked for while an answer and a changed request cross: give the rest back.
        if (asked.merge(task, -1, Integer::sum) < 0) {
          asked.put(task, 0);
          scheduler.releaseAssignedContainer(container.getId());
          continue;
        }
        held.put(container.getId(), task);
        nodes.startContainer(container,
            ContainerLaunchContext.newInstance(null, own, java.util.List.of("pretend"), null, null, null));
      }
      for (var status : answer.getCompletedContainersStatuses()) {
        Task task = held.remove(status.getContainerId());
        if (task == null) continue;
        if (status.getExitStatus() != 0 && Boolean.parseBoolean(env.get("TEST_RETRY"))) wanted.add(task);
        else left--;
      }
      Thread.sleep(Long.parseLong(env.getOrDefault("TEST_HEARTBEAT", "200")));
    }
    scheduler.unregisterApplicationMaster(FinalApplicationStatus.SUCCEEDED, "", "");
  }
}
