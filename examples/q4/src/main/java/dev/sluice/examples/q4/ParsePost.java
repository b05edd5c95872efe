package dev.sluice.examples.q4;

import org.apache.flink.streaming.api.functions.ProcessFunction;
import org.apache.flink.util.Collector;

/** A line to a post, or to nothing where there is none. */
final class ParsePost extends ProcessFunction<String, Post> {
    private static final long serialVersionUID = 1;

    @Override
    public void processElement(String line, Context context, Collector<Post> out) {
        Post post = Post.parse(line);
        if (post != null) {
            out.collect(post);
        }
    }
}
