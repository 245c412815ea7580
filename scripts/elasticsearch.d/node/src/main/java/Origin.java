import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import org.elasticsearch.common.settings.Settings;
import org.elasticsearch.common.transport.TransportAddress;
import org.elasticsearch.env.Environment;
import org.elasticsearch.http.HttpServerTransport;
import org.elasticsearch.node.InternalSettingsPreparer;
import org.elasticsearch.node.Node;
import org.elasticsearch.plugins.Plugin;
import org.elasticsearch.transport.Netty4Plugin;

/**
 * One Elasticsearch node on loopback, for tests: {@code Origin DIRECTORY PORT}. It keeps its data in DIRECTORY, and
 * writes its address to DIRECTORY/url when it answers. A port of 0 is any free one. It has neither a security manager
 * nor bootstrap checks, because no bootstrap class runs.
 */
public final class Origin {
    private static final class OneNode extends Node {
        OneNode(Environment environment, Collection<Class<? extends Plugin>> plugins) {
            super(environment, plugins, false);
        }
    }

    public static void main(String[] args) throws Exception {
        System.setProperty("es.set.netty.runtime.available.processors", "false");
        Path home = Path.of(args[0]).toAbsolutePath();
        Settings settings = Settings.builder()
            .put("path.home", home.toString())
            .put("path.data", home.resolve("data").toString())
            .put("path.logs", home.resolve("logs").toString())
            .put("cluster.name", "origin")
            .put("node.name", "origin")
            .put("network.host", "127.0.0.1")
            .put("http.port", args[1].equals("0") ? "0" : args[1])
            .put("transport.port", "0")
            .put("transport.type", "netty4")
            .put("http.type", "netty4")
            .put("discovery.type", "single-node")
            .put("node.processors", 2)
            // Garbage that is not collected yet must not refuse searches.
            .put("indices.breaker.total.use_real_memory", false)
            .put("cluster.routing.allocation.disk.threshold_enabled", false)
            .build();
        Environment environment = InternalSettingsPreparer.prepareEnvironment(settings, Map.of(), null, () -> "origin");
        OneNode node = new OneNode(environment, List.of(Netty4Plugin.class));
        CountDownLatch ended = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            try {
                node.close();
            } catch (Exception e) {
                e.printStackTrace();
            }
            ended.countDown();
        }));
        node.start();
        TransportAddress address = node.injector().getInstance(HttpServerTransport.class).boundAddress().publishAddress();
        Path temporary = home.resolve("url.new");
        Files.writeString(temporary, "http://127.0.0.1:" + address.getPort() + "\n");
        Files.move(temporary, home.resolve("url"));
        ended.await();
    }

    private Origin() {}
}
