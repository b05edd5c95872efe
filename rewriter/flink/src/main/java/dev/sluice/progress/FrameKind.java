package dev.sluice.progress;

/** What a record of an {@code out} topic says. */
public enum FrameKind {
    /** The events that came out of a range of seqs. */
    DATA,
    /** Sign of life; {@code last} is the end of the acknowledged prefix, the watermark that of this prefix. */
    HEARTBEAT,
    /** A range that was given up. */
    GAP,
    /** The device leaves the partition once its frontier has reached {@code last}. */
    LEAVE,
    /** A body that could not be decoded; its headers name a range, which may still come by replay. */
    UNREADABLE
}
