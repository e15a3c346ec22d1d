// SPDX-License-Identifier: MIT
package bench;

import cn.hutool.core.lang.Snowflake;
import com.github.f4b6a3.tsid.TsidFactory;
import io.github.flakecore.Generator;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** What the package is measured against. The first two are as one writes them with care. */
final class Peers {
  static final long EPOCH_MS = 1_735_689_600_000L;

  private Peers() {}

  static Generator ours(String space) {
    return Generator.builder().node(1).space(space).build();
  }

  /** A lock, no repeat, a wait that spins for the next ms, no rewind. */
  static final class Synchronized implements LongSupplier {
    private final int seqBits;
    private final long mask;
    private long last = -1;
    private long sequence;

    /** 12 bits of sequence as the default layout has, or more, so that it is never exhausted. */
    Synchronized(int seqBits) {
      this.seqBits = seqBits;
      this.mask = (1L << seqBits) - 1;
    }

    @Override
    public synchronized long getAsLong() {
      long now = System.currentTimeMillis() - EPOCH_MS;
      if (now < last) throw new IllegalStateException("the clock was set back");
      if (now == last) {
        sequence = (sequence + 1) & mask;
        while (sequence == 0 && now <= last) {
          Thread.onSpinWait();
          now = System.currentTimeMillis() - EPOCH_MS;
        }
      } else {
        sequence = 0;
      }
      last = now;
      return now << (seqBits + 10) | 1L << seqBits | sequence;
    }
  }

  /** The same without a lock: time and sequence in one word. */
  static final class CompareAndSet implements LongSupplier {
    private final int seqBits;
    private final AtomicLong word = new AtomicLong();

    CompareAndSet(int seqBits) {
      this.seqBits = seqBits;
    }

    @Override
    public long getAsLong() {
      while (true) {
        long seen = word.get(); // before the clock is read, or other threads look like a rewind
        long now = System.currentTimeMillis() - EPOCH_MS;
        if (now < seen >>> seqBits) throw new IllegalStateException("the clock was set back");
        long next = Math.max(seen + 1, now << seqBits);
        if (next >>> seqBits > now) {
          Thread.onSpinWait();
          continue;
        }
        if (!word.compareAndSet(seen, next)) continue;
        return next >>> seqBits << (seqBits + 10) | 1L << seqBits | next & (1L << seqBits) - 1;
      }
    }
  }

  static LongSupplier tsidCreator() {
    TsidFactory factory = TsidFactory.builder().withNodeBits(10).withNode(1).build();
    return () -> factory.create().toLong();
  }

  static LongSupplier hutool() {
    return new Snowflake(1, 0)::nextId;
  }
}
