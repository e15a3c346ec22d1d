/* SPDX-License-Identifier: MIT */
/*
 * The lock-free path and the change of lease as a model. Why: these steps are right only all
 * together, and no test visits every interleaving of late threads, a stepping clock and a changed
 * lease. spin does, within small bounds. core/model/check runs the scenes and the mutants.
 *
 *        +---+--------+--------+-----------------+
 *  word  | 0 | node   | tick   | seq             |  the last number issued
 *        | 1 | tag: the generation that closed it|  closed
 *        +---+--------+--------+-----------------+
 *  ceilw | generation | ceiling tick             |  exclusive; 0 = no right
 *        +------------+--------------------------+
 *  lastt   1 + the largest tick that the word had at any close
 *  base    (node, tick, 0) of the published tick        }  of one process; a fork wipes them, and
 *  gate    1 + the clock's tick at that time; 0 = shut  }  all words of a private generator, to 0
 *
 * Small:    2 nodes, TICKS ticks, SEQS numbers a tick. The range ends with the last tick.
 * Clock:    each reading is any tick, so no step and no freeze of a real clock is missing. It moves
 *           by whole ticks, so "within the tick" is equality.
 * Steps:    each load, store and CAS of a shared word is a step. What is local rides along with it,
 *           as do a clock reading and the tests of the properties. Raising lastt is one step: the
 *           CAS loop that does it has no other effect.
 * Crash:    a process that is not scheduled any more, so one may crash at each of its steps.
 * Left out: wall_high, the deadline (they only choose the error); the store's time (any slot may be
 *           taken at any time, which is worse).
 *
 * The properties are asserted at the instant at which the word takes a number (inline issue):
 *  unique   (U) no number is handed out twice, by whatever process.
 *  inside   (I) its tick lies in an interval [floor, ceil) that the store confirmed for its node
 *           and not taken back; and what a release gives back holds no issued number.
 *  ordered  (O) (tick, seq) is above that of every ID whose call had returned when this one began.
 *  timely   (S) strict: the tick is a clock reading of the same call, so it lies between two and
 *           above none. Monotonic: it is not below that reading, and at most LEAD above.
 *
 * MUTANT_x breaks one step. HARMLESS_x changes one without effect: README.md says why.
 */

#ifndef TICKS
#define TICKS 4
#endif
#ifndef SEQS
#define SEQS 2
#endif
#ifndef LEAD
#define LEAD 0 /* more: monotonic mode, and how far its tick may be ahead */
#endif
#ifndef BATCH
#define BATCH 1
#endif
#ifndef SPREAD
#define SPREAD 0 /* the largest random start */
#endif

#define SPAN (TICKS * SEQS)
#define CLOSED 128
#define NUMBER(node, tick, seq) ((node) * SPAN + (tick) * SEQS + (seq))
#define NODE(w) ((w) / SPAN)
#define ORDER(w) ((w) % SPAN)
#define TICK(w) (ORDER(w) / SEQS)
#define START_OF_TICK(w) ((w) - (w) % SEQS)
#define IS_CLOSED(w) ((w) >= CLOSED)

#define CEILW(ceil, gen) ((gen) * 16 + (ceil))
#define CEIL(cw) ((cw) % 16)
#define GEN(cw) ((cw) / 16)

#define MAX(a, b) ((a) > (b) -> (a) : (b))
#define MIN(a, b) ((a) < (b) -> (a) : (b))
#define BITS(from, to) ((1 << (to)) - (1 << (from)))

/* The processes share one word; or the second is a fork of the first, and the word is private. */
#ifdef FORK
#define PAGE(p) p
#else
#define PAGE(p) 0
#endif

/* A static node's lease has no store and no end. */
#ifdef STATIC
#define CEILING TICKS
#endif

byte word[2], ceilw[2], lastt[2];
byte base[2], gate[2];
bit lock[2];

/* The store's slots, and the lease in force as the holders remember it. */
byte slot_ceil[2], slot_nonce[2];
byte held_node, held_nonce, held_floor;

/* For the properties alone. */
byte own[2];      /* the confirmed ticks of each node, a bit each */
short issued[2];  /* the numbers of each node that were handed out, a bit each */
byte returned[2]; /* 1 + the largest ORDER whose call has returned */
bool inside = true, unique = true, ordered = true, timely = true;

/* The mutants that change one expression. The others stand where their step stands. */
#ifdef MUTANT_order_not_xor
#define OUTSIDE(number, b) ((number) >= (b) + SEQS)
#else
#define OUTSIDE(number, b) (((number) ^ (b)) >= SEQS)
#endif
#ifdef MUTANT_close_without_tag
#define CLOSED_BY(gen) CLOSED
#else
#define CLOSED_BY(gen) (CLOSED | (gen))
#endif
/* The number after a node's last is the next node's first: it must not pass for a base's own. */
#ifdef MUTANT_first_tick_published
#define IS_PUBLISHED(w) true
#else
#define IS_PUBLISHED(w) (TICK(w) > 0)
#endif
#ifdef MUTANT_batch_past_lead
#define END(c, now) (c)
#else
#define END(c, now) MIN(c, now + LEAD + 1)
#endif
#ifdef MUTANT_node_beside
byte node_beside;
#define WORD_NODE(n) 0
#define ID(w) ((w) + node * SPAN)
#else
#define WORD_NODE(n) (n)
#define ID(w) (w)
#endif

inline issue(id) {
  d_step {
    inside = own[NODE(id)] >> TICK(id) & 1;
    unique = !(issued[NODE(id)] >> ORDER(id) & 1);
    ordered = ORDER(id) >= begun;
    timely = now <= TICK(id) && TICK(id) <= now + LEAD;
    assert(inside);
    assert(unique);
    assert(ordered);
    assert(timely);
    issued[NODE(id)] = issued[NODE(id)] | 1 << ORDER(id)
  }
}

/* ---- next, the slow path, batch and publish: a thread of process p --------------------------- */

inline return_id() {
  d_step {
    returned[PAGE(p)] = MAX(returned[PAGE(p)], ORDER(last) + 1);
    calls--;
    begun = 0;
    b = 0;
    w = 0;
    last = 0;
    now = 0;
    more = 0
  }
}

proctype Caller(byte p; byte calls)
{
  byte begun, more; /* what had returned when the call began; numbers wanted beyond one */
  byte b, w, c, x, last, now, start;
#ifdef MUTANT_node_beside
  byte node;
#endif

end_call:
  /* next 1: base, gate, clock */
  atomic {
    calls > 0;
    begun = returned[PAGE(p)];
#ifdef MUTANT_node_beside
    node = node_beside;
#endif
    if
    :: BATCH > 1 -> more = BATCH - 1; goto slow
    :: true
    fi;
#ifndef MUTANT_base_after_gate
    b = base[p]
  }
  atomic {
#endif
    if
    :: gate[p] -> now = gate[p] - 1 /* the clock reads inside the gate's tick */
    :: b = 0; goto slow             /* or outside */
    fi
  }
#ifdef MUTANT_base_after_gate
  b = base[p];
#endif
  /* next 3 */
  atomic {
    w = word[PAGE(p)];
    if
    :: OUTSIDE(w + 1, b) -> b = 0; now = 0; goto slow
    :: else
    fi
  }
take:
  atomic {
    if
    :: word[PAGE(p)] == w ->
      last = w + 1;
      word[PAGE(p)] = last;
      issue(ID(last));
      return_id();
      goto end_call
    :: else ->
      w = word[PAGE(p)];
      if
      :: OUTSIDE(w + 1, b) -> b = 0; now = 0
      :: else -> goto take
      fi
    fi
  }

slow:
  /* slow path 1 to 4: word, ceiling, clock */
#ifdef MUTANT_ceiling_before_word
  c = CEIL(ceilw[PAGE(p)]);
  atomic {
    w = word[PAGE(p)];
#else
  w = word[PAGE(p)];
  atomic {
    c = CEIL(ceilw[PAGE(p)]);
#endif
#ifdef MUTANT_no_ceiling
    c = TICKS;
#endif
    select (now : 0 .. TICKS - 1);
    select (start : 0 .. SPREAD);
    x = MAX(w + 1, NUMBER(NODE(w), now, start));
    start = 0;
    if
    :: IS_CLOSED(w) || NODE(x) != NODE(w) || TICK(x) >= c || TICK(x) > now + LEAD ->
      w = 0;
      c = 0;
      x = 0;
      now = 0;
      if
      :: goto slow                          /* it waits */
      :: begun = 0; more = 0; goto end_call /* an error; the next call */
      fi
    :: else
    fi;
    /* Strict: cut to the tick. Monotonic: to the ceiling, and to the lead. */
    last = MIN(x + more, (LEAD -> NUMBER(NODE(w), END(c, now), 0)
                                 : START_OF_TICK(x) + SEQS) - 1);
    c = 0
  }
  /* slow path 5 */
  atomic {
    if
#ifndef MUTANT_plain_store
    :: word[PAGE(p)] != w -> w = 0; x = 0; last = 0; now = 0; goto slow
#endif
    :: else
    fi;
    w = 0;
    word[PAGE(p)] = last;
    do
    :: x < last -> issue(ID(x)); x++
    :: else -> break
    od;
    x = 0;
    issue(ID(last))
  }

  /* Publish, or skip: another does it, or has done it. */
  atomic {
    if
    :: return_id(); goto end_call
    :: !lock[p] && IS_PUBLISHED(last)
    fi;
#ifndef MUTANT_no_lock
    lock[p] = 1
#endif
  }
#ifdef MUTANT_gate_before_base
  gate[p] = now + 1;
#endif
#ifndef MUTANT_no_recheck
  if
  :: (word[PAGE(p)] ^ last) >= SEQS -> goto unlock
  :: else
  fi;
#endif
#if !defined(MUTANT_no_shut) && !defined(MUTANT_gate_before_base)
  gate[p] = 0;
#endif
#ifdef HARMLESS_gate_before_base
  gate[p] = now + 1;
#endif
  base[p] = START_OF_TICK(last);
#if !defined(MUTANT_gate_before_base) && !defined(HARMLESS_gate_before_base)
  atomic {
#ifdef MUTANT_gate_of_later_clock
    select (now : 0 .. TICKS - 1);
#endif
    gate[p] = now + 1
  }
#endif
unlock:
  atomic {
    lock[p] = 0;
    return_id();
    goto end_call
  }
}

/* ---- the change of lease: a renewer, one who was fenced, release, re-open -------------------- */

/* Another host may have held the slot in between: its ticks are the gap. */
inline acquire() {
  select (node : 0 .. 1);
  select (floor : slot_ceil[node] .. slot_ceil[node] + 1);
  select (ceil : floor + 1 .. floor + 2);
  if
  :: ceil <= TICKS ->
    slot_ceil[node] = ceil;
    slot_nonce[node]++;
    nonce = slot_nonce[node];
    own[node] = own[node] | BITS(floor, ceil)
  :: else -> goto lost
  fi
}

inline release() {
  if
  :: slot_nonce[node] == nonce && slot_ceil[node] == ceil ->
    inside = !(issued[node] & BITS(floor * SEQS, ceil * SEQS));
    assert(inside);
    own[node] = own[node] & ~BITS(floor, ceil);
    slot_ceil[node] = floor;
    slot_nonce[node]++
  :: else
  fi
}

inline begin_right() {
  if
  :: ceilw[PAGE(p)] == CEILW(0, gen) ->
    ceilw[PAGE(p)] = CEILW(ceil, gen);
    held_node = node;
    held_nonce = nonce;
    held_floor = floor
  :: else -> goto lost
  fi
}

inline closes(confirmed) {
  ceil = confirmed;
  node = held_node;
  nonce = held_nonce;
  floor = held_floor
}

proctype Changer(byte p; byte changes)
{
  byte cw, gen, w, first;
  byte node, nonce, floor, ceil; /* the lease that it closed, later the new one */
#ifdef MUTANT_opening_handed_out
  byte now, begun;
#endif

end_change:
  atomic {
    changes > 0;
    cw = ceilw[PAGE(p)]
  }
  /* 1. The old right ends; or a change is claimed whose changer may have died. */
  atomic {
    if
    :: ceilw[PAGE(p)] != cw -> cw = 0; goto end_change
    :: else
    fi;
    changes--;
    gen = GEN(cw) + 1;
    ceilw[PAGE(p)] = CEILW(0, gen);
    if
    :: CEIL(cw) -> closes(CEIL(cw))
    :: else /* it claims: whether the other has released that lease, it cannot know */
#ifdef MUTANT_claimed_lease_kept
      -> closes(slot_ceil[held_node])
#endif
    fi;
    cw = 0
  }
#ifdef MUTANT_right_before_open
  atomic { acquire() }
  atomic { begin_right() }
#endif
  /* 2. The word closes. */
close:
  w = word[PAGE(p)];
#ifndef MUTANT_close_without_generation
  if
  :: GEN(ceilw[PAGE(p)]) != gen -> goto lost
  :: else
  fi;
#endif
  if
  :: IS_CLOSED(w)
  :: else -> lastt[PAGE(p)] = MAX(lastt[PAGE(p)], TICK(w) + 1)
  fi;
#ifndef MUTANT_no_close
  atomic {
    if
#ifndef MUTANT_last_before_close
    :: word[PAGE(p)] != w -> goto close
#endif
    :: else -> word[PAGE(p)] = CLOSED_BY(gen); w = 0
    fi
  }
#endif
  /* 3. The store: the lease that it closed goes on, or is released, or is left to expire. */
#ifndef MUTANT_right_before_open
  if
#ifdef STATIC
  :: atomic { node = 1 - PAGE(p); ceil = TICKS }
#else
  :: nonce
  :: atomic { nonce -> floor = MIN(lastt[PAGE(p)], ceil) };
     atomic { release() };
     atomic { acquire() }
  :: atomic { acquire() }
#endif
  fi;
#endif
#ifdef HARMLESS_right_before_open
  atomic { begin_right() }
#endif
  /* 4. The word opens, by a CAS that expects its own tag. */
  atomic {
#ifdef MUTANT_no_lastt
    first = floor
#else
    first = MAX(floor, lastt[PAGE(p)])
#endif
    if
    :: first >= TICKS -> goto lost
    :: else
    fi
  }
  atomic {
    if
    :: word[PAGE(p)] == CLOSED_BY(gen) ->
      word[PAGE(p)] = NUMBER(WORD_NODE(node), first, 0);
#ifdef MUTANT_opening_handed_out
      select (now : 0 .. TICKS - 1);
      issue(NUMBER(node, first, 0));
#endif
      first = 0
    :: else -> goto lost
    fi
  }
#ifdef MUTANT_node_beside
  node_beside = node;
#endif
  /* 5. The new right begins. */
#if !defined(MUTANT_right_before_open) && !defined(HARMLESS_right_before_open)
  atomic { begin_right() }
#endif
lost:
  atomic {
    gen = 0;
    w = 0;
    first = 0;
    node = 0;
    nonce = 0;
    floor = 0;
    ceil = 0;
    goto end_change
  }
}

/* The store first, then the ceiling; the record of the lease is read with its ceiling. */
proctype Renewer(byte renewals)
{
  byte cw, node, nonce, ceil;

end_renew:
  atomic {
    renewals > 0 && CEIL(ceilw[0]);
    renewals--;
    cw = ceilw[0];
    node = held_node;
    nonce = held_nonce
  }
  atomic {
    ceil = CEIL(cw) + 1;
    if
    :: slot_nonce[node] == nonce && slot_ceil[node] == CEIL(cw) && ceil <= TICKS ->
      own[node] = own[node] | BITS(CEIL(cw), ceil);
      slot_ceil[node] = ceil;
      slot_nonce[node]++;
      nonce = slot_nonce[node]
    :: else -> goto fenced
    fi
  }
  atomic {
    if
#ifdef MUTANT_renewer_without_generation
    :: CEIL(ceilw[0]) == CEIL(cw) -> ceilw[0] = CEILW(ceil, GEN(ceilw[0])); held_nonce = nonce
#else
    :: ceilw[0] == cw -> ceilw[0] = CEILW(ceil, GEN(cw)); held_nonce = nonce
#endif
    :: else
    fi
  }
fenced:
  atomic {
    cw = 0;
    node = 0;
    nonce = 0;
    ceil = 0;
    goto end_renew
  }
}

/* ---- who takes part -------------------------------------------------------------------------- */

/* A thread that is in no call forks; others may be in one. A wiped page is all 0, as page 1 is from
 * the start. The child then opens a lease of its own, of node 0. */
proctype Fork(byte calls)
{
  atomic {
#ifdef MUTANT_fork_not_wiped
    word[1] = word[0];
    ceilw[1] = ceilw[0];
    lastt[1] = lastt[0];
    base[1] = base[0];
    gate[1] = gate[0];
    lock[1] = lock[0];
#endif
    run Caller(1, calls);
    run Changer(1, 1)
  }
}

/* CALLS_A and so on: the calls of one thread; A, B and C are of process 0, D is of another. */
init {
  atomic {
    word[0] = NUMBER(WORD_NODE(1), 0, 0);
    ceilw[0] = CEILW(CEILING, 0);
    slot_ceil[1] = CEILING;
    slot_nonce[1] = 1;
    held_node = 1;
    held_nonce = 1;
    own[1] = BITS(0, CEILING);
#ifdef MUTANT_node_beside
    node_beside = 1;
#endif
#ifdef CALLS_A
    run Caller(0, CALLS_A);
#endif
#ifdef CALLS_B
    run Caller(0, CALLS_B);
#endif
#ifdef CALLS_C
    run Caller(0, CALLS_C);
#endif
#ifdef CALLS_D
    run Caller(1, CALLS_D);
#endif
#ifdef CHANGES_A
    run Changer(0, CHANGES_A);
#endif
#ifdef CHANGES_B
    run Changer(0, CHANGES_B);
#endif
#ifdef RENEWALS
    run Renewer(RENEWALS);
#endif
#ifdef FORK
    own[0] = BITS(0, TICKS);
    run Fork(FORK);
#endif
  }
}
