package dev.sluice.examples.q4;

import org.apache.flink.api.common.functions.MapFunction;

/** Scores the text of a post by {@link Vader}. */
final class Score implements MapFunction<Post, ScoredPost> {
    private static final long serialVersionUID = 1;
    private static final Vader VADER = new Vader(Lexicon.load());

    @Override
    public ScoredPost map(Post post) {
        ScoredPost scored = new ScoredPost();
        scored.id = post.id;
        scored.time = post.time;
        scored.text = post.text;
        scored.score = VADER.score(post.text);
        return scored;
    }
}
