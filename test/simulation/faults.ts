import type { Random } from '../../src/event-sourcing/random.js';
import { below, oneOf } from './chance.js';
import { LEASE_MS } from '../../projections/engine/generation/lease.js';
import type { Command } from './operator.js';
import { type Place, PLACES, type Troubles } from './trouble.js';
import { type Mishap, MOMENTS } from './way.js';
import type { SimulatedProcess, World } from './world.js';

/** A service that something happens to. */
export type Victim = {
  /** As a trace names it. */
  readonly name: string;
  /** The one that runs now, or is about to. */
  readonly process: SimulatedProcess;
  /** Ends it as a crash does; it begins again after so many ms. */
  readonly kill: (downMs: number) => void;
  /** Stops it in order, and begins it again, of the other version if it is wanted. */
  readonly restart: (isOtherProgram: boolean) => void;
};

export type Fault = {
  readonly name: string;
  /**
   * What remains of docs/outages.md: a process that does not reach the log shows a record as it was, where another one could
   * not note its change beside the rows. So while one process is hindered in the one, none is in the other.
   */
  readonly hinders?: 'notes' | 'log';
  /** It is over by itself after so many ms. */
  readonly begin: (victim: Victim, ms: number, other: Victim) => void;
};

type Scene = {
  readonly world: World;
  readonly troubles: Troubles;
  readonly random: Pick<Random, 'fraction'>;
  /** Says something, and counts it. */
  readonly note: (who: string, what: string, more?: string) => void;
  /** What operators may do. */
  readonly plans: ReadonlyArray<ReadonlyArray<ReadonlyArray<Command>>>;
  readonly operate: (plan: ReadonlyArray<ReadonlyArray<Command>>) => void;
};

/** The longest that a service is down after it was killed, ms. */
const DOWN_MS = 4_000;

/** By how much one call after the other is late at most, ms. */
const LATE_MS = 1_000;

/** Of a fault, ms: of longer ones something else comes. */
const LONG_MS = 4_000;

/** Calls at which a process ends; undefined: at any. */
const CALLS = [
  'append',
  'write rows',
  'write ledger',
  'acquire',
  'change',
  'noteAcknowledged',
  'commit',
  'put',
  undefined,
];

/** Those whose answers may be old when the process that has them goes on. */
const READS = ['head', 'query row', 'read stream', 'newest revision', 'liveCheckpoints', 'generations'];

/** Those between which and the decision to make them a lease may lapse. */
const UNDER_LEASE = ['write rows', 'write ledger', 'step', 'acquire', 'change'];

const hindrance = (place: Place): Pick<Fault, 'hinders'> => {
  if (place === 'files') return {};
  return { hinders: place === 'log' ? 'log' : 'notes' };
};

/** All that may go wrong. Each lasts for as long as it is told to, and several may at once. */
export const faultsOf = ({ world, troubles, random, note, plans, operate }: Scene): ReadonlyArray<Fault> => {
  const { fraction } = random;
  const lasting = (ms: number): string => `for ${ms.toFixed(0)} ms`;

  const atPlace = (place: Place): ReadonlyArray<Fault> => [
    {
      name: `is cut off from the ${place}`,
      ...hindrance(place),
      begin: ({ name, process }, ms) => {
        const isSilent = fraction() < 0.5;
        note(name, `is cut off from the ${place}`, `${lasting(ms)}, ${isSilent ? 'in silence' : 'refused'}`);
        troubles.keepAway(process, place, { until: world.now() + ms, isSilent });
      },
    },
    {
      name: `the ${place} away`,
      ...hindrance(place),
      begin: (_, ms) => {
        const isSilent = fraction() < 0.5;
        note(
          `the ${place}`,
          place === 'log' ? 'is away' : 'are away',
          `${lasting(ms)}, ${isSilent ? 'in silence' : 'refusing'}`,
        );
        troubles.keepAway(undefined, place, { until: world.now() + ms, isSilent });
      },
    },
    {
      name: `the ${place} slow`,
      ...hindrance(place),
      begin: ({ name, process }, ms) => {
        note(name, `gets late answers from the ${place}`, lasting(ms));
        troubles.slowDown(process, place, world.now() + ms);
      },
    },
    {
      name: `the ${place} full`,
      ...(place === 'rows' ? { hinders: 'notes' as const } : {}),
      begin: (_, ms) => {
        note(`the disk of the ${place}`, 'is full', lasting(ms));
        troubles.fill(place, world.now() + ms);
      },
    },
  ];

  /** Does something at a call, unless none comes in time. */
  const ambush = (
    { process }: Victim,
    ms: number,
    names: ReadonlyArray<string | undefined>,
    mishap: Parameters<Troubles['lieInWait']>[1]['mishap'],
  ): void => {
    const name = oneOf({ random }, names);
    // an upload is rare
    const most = name === 'put' ? 1 : name === undefined ? 60 : 3;
    const end = troubles.lieInWait(process, { name, skipped: below({ random }, most), mishap });
    void world.sleep(ms).then(end);
  };

  /** Has each call of that name arrive late, or its answer. */
  const holdUp = (process: SimulatedProcess, ms: number, name: string, isRequest: boolean): void => {
    const until = world.now() + ms;
    const lieInWait = (): void => {
      const mishap = (): Mishap => {
        lieInWait();
        return { _tag: 'Late', ms: fraction() * LATE_MS, isRequest };
      };
      const end = troubles.lieInWait(process, { name, skipped: 0, mishap });
      void world.sleep(until - world.now()).then(end);
    };
    lieInWait();
  };

  const writeLate = ({ name, process }: Victim, ms: number): void => {
    note(name, 'writes rows late', lasting(ms));
    holdUp(process, ms, 'write rows', true);
  };

  const freezeWithAnswer = (victim: Victim, ms: number, reads = READS): void =>
    ambush(victim, ms, reads, (call) => {
      const frozenMs = 500 + fraction() * 2_500;
      note(victim.name, 'is frozen with an answer on its way', `(${call}), ${lasting(frozenMs)}`);
      return { _tag: 'Frozen', ms: frozenMs, isAnswer: true };
    });

  const ofServices: ReadonlyArray<Fault> = [
    {
      name: 'killed',
      begin: ({ name, kill }, ms) => {
        note(name, 'is killed', lasting(ms));
        kill(ms);
      },
    },
    ...MOMENTS.map((moment): Fault => ({
      name: `killed ${moment}`,
      begin: (victim, ms) =>
        ambush(victim, ms, CALLS, (call) => ({
          _tag: 'Killed',
          moment,
          kill: () => {
            const downMs = fraction() * DOWN_MS;
            note(victim.name, `is killed at a call, ${moment}`, `(${call}), ${lasting(downMs)}`);
            victim.kill(downMs);
          },
        })),
    })),
    {
      name: 'frozen',
      begin: ({ name, process }, ms) => {
        note(name, 'is frozen', lasting(ms));
        process.freeze(ms);
      },
    },
    {
      name: 'lapsing',
      begin: (victim, ms) =>
        ambush(victim, ms, UNDER_LEASE, (call) => {
          const frozenMs = LEASE_MS + fraction() * 2_000;
          note(victim.name, 'is frozen at a call until its lease has lapsed', `(${call}), ${lasting(frozenMs)}`);
          return { _tag: 'Frozen', ms: frozenMs, isAnswer: false };
        }),
    },
    {
      name: 'frozen with an answer',
      begin: (victim, ms) => freezeWithAnswer(victim, ms),
    },
    {
      name: 'cut off with an append on its way',
      hinders: 'log',
      begin: (victim, ms) => {
        const until = world.now() + ms;
        const cutOff = (): Mishap => {
          note(victim.name, 'is cut off from the log as it stores something', lasting(until - world.now()));
          troubles.keepAway(victim.process, 'log', { until, isSilent: fraction() < 0.5 });
          return { _tag: 'Lost', ms: 0, lateMs: 0 };
        };
        if (ms < LONG_MS) ambush(victim, ms, ['append'], cutOff);
        else
          // the event of a file
          ambush(victim, ms, ['put'], () => {
            ambush(victim, until - world.now(), ['append'], cutOff);
            return { _tag: 'Late', ms: 0, isRequest: true };
          });
      },
    },
    {
      name: 'writes unnoted, while the other stands still',
      hinders: 'notes',
      begin: ({ name, process }, ms, other) => {
        note(name, 'is cut off from the rows', lasting(ms));
        troubles.keepAway(process, 'rows', { until: world.now() + ms, isSilent: false });
        if (ms > LONG_MS) writeLate(other, ms);
        else freezeWithAnswer(other, ms, fraction() < 0.5 ? ['head'] : READS);
      },
    },
    {
      name: 'the ledger late',
      begin: ({ name, process }, ms) => {
        // feeds begin now and then
        note(name, 'gets late answers from the ledger', lasting(3 * ms));
        holdUp(process, 3 * ms, 'query ledger', false);
      },
    },
    {
      name: 'ahead',
      begin: ({ name, process }, ms) => {
        note(name, 'has its clock set ahead', `by ${ms.toFixed(0)} ms`);
        process.setBy(ms);
      },
    },
    {
      name: 'back',
      begin: ({ name, process }, ms) => {
        note(name, 'has its clock set back', `by ${ms.toFixed(0)} ms`);
        process.setBy(-ms);
      },
    },
    {
      name: 'broken off',
      begin: ({ name, process }, ms) => {
        // uploads are rare
        note(name, 'has uploads end half-way', lasting(4 * ms));
        troubles.breakOff(process, world.now() + 4 * ms);
      },
    },
    { name: 'restarted', begin: ({ restart }) => restart(false) },
    // twice as often: the way back, too
    { name: 'upgraded', begin: ({ restart }) => restart(true) },
    { name: 'upgraded', begin: ({ restart }) => restart(true) },
  ];

  const ofOperators = plans.map((plan): Fault => ({ name: plan.join(), begin: () => operate(plan) }));
  return [...ofServices, ...PLACES.flatMap(atPlace), ...ofOperators];
};
