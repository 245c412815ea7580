import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.opensearch.action.admin.cluster.health.ClusterHealthResponse;
import org.opensearch.common.Priority;
import org.opensearch.common.settings.Settings;
import org.opensearch.common.unit.TimeValue;
import org.opensearch.http.HttpServerTransport;
import org.opensearch.node.InternalSettingsPreparer;
import org.opensearch.node.Node;
import org.opensearch.transport.Netty4Plugin;

/**
 * One node of an OpenSearch cluster on loopback: {@code ClusterNode DIRECTORY NUMBER PORT…}. The ports are those of all
 * nodes of the cluster, two for each: the one of HTTP, then the one between nodes. It keeps its data in
 * DIRECTORY/nodeNUMBER, and writes its URL to a file there once all nodes have formed the cluster.
 *
 * <p>{@code ClusterNode ports N} prints N ports that are free. No bootstrap class runs, hence there is neither a
 * security manager nor a bootstrap check.
 */
public final class ClusterNode extends Node {
    /** How long a node waits for the others. */
    private static final TimeValue FORMED = TimeValue.timeValueSeconds(100);

    private ClusterNode(Settings settings, String name) {
        super(InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> name), List.of(Netty4Plugin.class), false);
    }

    public static void main(String[] args) throws Exception {
        if (args[0].equals("ports")) {
            ports(Integer.parseInt(args[1]));
            return;
        }
        int number = Integer.parseInt(args[1]);
        List<String> names = new ArrayList<>();
        List<String> seeds = new ArrayList<>();
        for (int i = 2; i < args.length; i += 2) {
            names.add("node" + names.size());
            seeds.add("127.0.0.1:" + args[i + 1]);
        }
        String name = names.get(number);
        Path directory = Path.of(args[0]).toAbsolutePath();
        Path home = directory.resolve(name);
        ClusterNode node = new ClusterNode(
            Settings.builder()
                .put("path.home", home.toString())
                .put("path.repo", directory.resolve("snapshots").toString()) // a backup needs one directory for all nodes
                .put("node.name", name)
                .put("network.host", "127.0.0.1")
                .put("http.port", args[2 + 2 * number])
                .put("transport.port", args[3 + 2 * number])
                .putList("discovery.seed_hosts", seeds)
                .putList("cluster.initial_cluster_manager_nodes", names)
                // Pools of threads for a part of this machine, however many processors it has.
                .put("node.processors", 2)
                // As careful operators set it: a load that is late must not make an index without its mapping.
                .put("action.auto_create_index", false)
                // A query without a field has a clause for each field and word. The default is 1024, of all clauses together.
                .put("indices.query.bool.max_clause_count", 65536)
                // Garbage that is not collected yet must not refuse searches.
                .put("indices.breaker.total.use_real_memory", false)
                // A full disk of a developer must not make indices read-only.
                .put("cluster.routing.allocation.disk.threshold_enabled", false)
                .build(),
            name
        );
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (IOException e) {
                e.printStackTrace();
            }
            ended.countDown();
        }));
        node.start();
        // A node listens before it has joined: a request for a new index would fail then.
        ClusterHealthResponse health = node.client().admin().cluster().prepareHealth()
            .setWaitForNodes(">=" + names.size()).setWaitForEvents(Priority.LANGUID)
            .setTimeout(FORMED).setClusterManagerNodeTimeout(FORMED).get();
        if (health.isTimedOut()) {
            System.err.println("the cluster has " + health.getNumberOfNodes() + " nodes of " + names.size());
            System.exit(1);
        }
        int port = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress().getPort();
        Files.writeString(home.resolve("url.new"), "http://127.0.0.1:" + port + "\n");
        Files.move(home.resolve("url.new"), home.resolve("url"));
        ended.await();
    }

    private static void ports(int n) throws IOException {
        List<ServerSocket> all = new ArrayList<>(); // all at once, so that all differ
        for (int i = 0; i < n; i++) {
            all.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
        }
        for (ServerSocket socket : all) {
            System.out.println(socket.getLocalPort());
            socket.close();
        }
    }
}
