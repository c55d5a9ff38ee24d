import { cpus } from 'node:os';
import { setTimeout as delay } from 'node:timers/promises';
import { cpuOf, cpuOfMachine, cpuOfPostgresBelow } from '../../bench/processes.js';
import { eventually } from '../../support/eventually.js';
import type { HostileClient, Tally } from './attack.js';
import { type Figures, forgetPeak, highest } from './figures.js';
import { type HostileClients, startHostileClients } from './hostile-clients.js';
import { type LeftClock, startLeftClock } from './left-clock.js';
import { type Answered, type NormalClient, type NormalRequest, startNormalClient } from './normal-client.js';
import { startSampler } from './sampler.js';
import type { Target } from './target.js';

/** A flood: so many connections of hostile clients, who stay for so long. */
export type Flood = {
  readonly name: string;
  /** What a client needs to be let in: nothing, or a role. */
  readonly needs: 'nothing' | 'viewer' | 'auditor' | 'editor';
  readonly connections: number;
  /** Connections are given these in turn. */
  readonly clients: ReadonlyArray<HostileClient>;
  /** Connections that are opened at once; absent: all. */
  readonly burst?: number;
  /** How long they stay when all are open, s. */
  readonly seconds: number;
  /** `ulimit -n` of the service; absent: as it is. */
  readonly openFiles?: number;
  /** Something else that has to work meanwhile; what did not. */
  readonly meanwhile?: (address: string) => Promise<ReadonlyArray<string>>;
};

/** How the requests of a normal client went that began during a flood; ms. */
type Latency = {
  readonly requests: number;
  readonly median: number;
  readonly worst: number;
  /** Of the time that others left of the machine, the most that one took. */
  readonly worstLeft: number;
};

export type FloodResult = {
  readonly name: string;
  readonly needs: Flood['needs'];
  readonly connections: number;
  readonly before: Figures;
  readonly height: Figures;
  /** A second after the hostile clients are gone; undefined: the process has ended. */
  readonly after: Figures | undefined;
  readonly normal: Latency;
  /** Processors that were taken by what has nothing to do with the flood, on average: figures of a busy machine are worse. */
  readonly others: number;
  readonly tally: Tally;
  /** What should not have been; none: the flood holds. */
  readonly faults: ReadonlyArray<string>;
};

/** MiB. */
const RSS_LIMIT = 400;
/**
 * Of the time that others leave of the machine, ms: what has nothing to do with the flood may slow down the service as much
 * as it likes.
 */
const ANSWER_LIMIT = 2_000;
const RECOVERY_LIMIT = 1_000;
/** With less of the machine a service may be late, or say that it has no time; it answers all the same. */
const ENOUGH = 0.5;
/** Until the service's pools and caches are as they are in use, ms. */
const WARM_UP = 1_000;
const OPENING_LIMIT = 60_000; // ms

/** Sockets of normal clients' new connections that happen to be open, and a file or two. */
const SPARE_DESCRIPTORS = 8;
/** Statements of the normal client that happen to be under way. */
const SPARE_STATEMENTS = 4;
/**
 * What may be held more than before when all garbage has been collected, MiB. Records that were read or written stay in
 * bounded caches, and the normal client goes on writing; what a flood leaves behind is a multiple of this.
 */
const SPARE_MEMORY = 40;

/**
 * Pools close a connection that has been idle for ten to thirty seconds, so that it is still there a second later: the
 * connections that are at work have to be back, and descriptors without those of the pools.
 */
const descriptorsBeside = ({ descriptors, postgres }: Pick<Figures, 'descriptors' | 'postgres'>): number =>
  descriptors - postgres;

const latencyOf = (answered: ReadonlyArray<Answered>, left: (of: Answered) => number): Latency => {
  const times = answered.map(({ took }) => took).toSorted((one, other) => one - other);
  const rounded = (time: number | undefined): number => Math.round(time ?? NaN);
  return {
    requests: times.length,
    median: rounded(times[times.length >> 1]),
    worst: rounded(times.at(-1)),
    worstLeft: rounded(Math.max(0, ...answered.map(left))),
  };
};

const faultsOfNormal = (answered: ReadonlyArray<Answered>, left: (of: Answered) => number): ReadonlyArray<string> => {
  const faults = new Map<string, number>();
  for (const each of answered) {
    const { name, took, outcome } = each;
    if (outcome === 200 && left(each) <= ANSWER_LIMIT) continue;
    if ((outcome === 200 || outcome === 503) && left(each) < ENOUGH * took) continue;
    const fault = `${name}: ${outcome === 200 ? 'answered too late' : outcome}`;
    faults.set(fault, (faults.get(fault) ?? 0) + 1);
  }
  return [...faults].map(([fault, count]) => `${count} × ${fault}`);
};

const faultsOfHeight = ({ rss, heap }: Figures, heapLimit: number): ReadonlyArray<string> => [
  ...(rss < RSS_LIMIT ? [] : [`RSS came to ${rss} MiB`]),
  ...(heap < heapLimit ? [] : [`the heap came to ${heap} MiB`]),
];

const faultsOfAfter = (before: Figures, after: Figures): ReadonlyArray<string> => {
  const more = (figure: (of: Figures) => number): number => figure(after) - figure(before);
  const memory = more(({ heap, external }) => heap + external);
  return [
    ...(more(descriptorsBeside) <= SPARE_DESCRIPTORS ? [] : [`${more(descriptorsBeside)} descriptors stay open`]),
    ...(memory <= SPARE_MEMORY ? [] : [`${memory} MiB are still held`]),
    ...(more(({ busyPostgres }) => busyPostgres) <= SPARE_STATEMENTS ? [] : ['statements are still under way']),
    ...(more(({ unfinishedFiles }) => unfinishedFiles) <= 0
      ? []
      : [`${after.unfinishedFiles} unfinished files are left`]),
  ];
};

/**
 * Waits until what the clients had is let go, at most a second of what others leave, and measures what is left when the normal
 * client has gone, too: an upload of its own is no file that a flood has left.
 */
const measureAfter = async (
  { held, figuresAtRest, death }: Target,
  before: Figures,
  normal: NormalClient,
  left: LeftClock,
): Promise<Figures | undefined> => {
  const isBack = (): boolean => {
    const { unfinishedFiles, busyPostgres, ...rest } = held();
    return (
      descriptorsBeside(rest) - descriptorsBeside(before) <= SPARE_DESCRIPTORS &&
      busyPostgres - before.busyPostgres <= SPARE_STATEMENTS &&
      unfinishedFiles <= before.unfinishedFiles
    );
  };
  const untilBack = async (): Promise<void> => {
    const began = performance.now();
    await eventually(
      () => isBack() || left.between(began, performance.now()) > RECOVERY_LIMIT,
      (isOver) => isOver,
    );
  };
  try {
    await untilBack();
    await normal.stop();
    const { heap, external } = await figuresAtRest();
    // what its timers do comes all at once when garbage was collected
    await untilBack();
    return { ...held(), heap, external };
  } catch (error) {
    if (death() === undefined) throw error;
    return undefined;
  }
};

/** Processor time of all that has nothing to do with a flood, µs; that of a child that has ended is its parent's. */
const takenByOthers =
  (service: number, hostile: number): (() => number) =>
  () =>
    [service, hostile, process.pid].reduce((rest, pid) => rest - cpuOf(pid), cpuOfMachine()) -
    cpuOfPostgresBelow(service);

type Flooded = Pick<FloodResult, 'before' | 'height' | 'after' | 'tally' | 'others'> & {
  readonly heapLimit: number;
  /** Times between which the hostile clients were there. */
  readonly began: number;
  readonly ended: number;
  readonly faults: ReadonlyArray<string>;
};

const attackTarget = async (
  target: Target,
  hostile: HostileClients,
  flood: Flood,
  normal: NormalClient,
  left: LeftClock,
): Promise<Flooded> => {
  const { connections, clients, burst = connections, seconds, meanwhile } = flood;
  const before = await target.figuresAtRest();
  const { limit: heapLimit } = await target.heap();
  forgetPeak(target.pid);
  const sampler = startSampler(target, before);
  try {
    const began = performance.now();
    const opening = hostile.begin({ port: target.port, clients, connections, burst });
    const alsoDone = meanwhile?.(target.address);
    await Promise.race([opening, delay(OPENING_LIMIT, undefined, { ref: false })]);
    await delay(seconds * 1_000);
    const faults = (await alsoDone) ?? [];
    const ended = performance.now();
    const others = cpus().length * (1 - left.between(began, ended) / (ended - began));
    const tally = await hostile.stop();
    const height = sampler.stop();
    const after = await measureAfter(target, before, normal, left);
    return {
      before,
      height: highest(height, after ?? {}),
      after,
      tally,
      others,
      heapLimit,
      began,
      ended,
      faults,
    };
  } finally {
    sampler.stop();
  }
};

/** Floods a service while a normal client uses it, and says what came of it. */
export const runFlood = async (
  target: Target,
  flood: Flood,
  normalRequests: ReadonlyArray<NormalRequest>,
): Promise<FloodResult> => {
  const { name, needs, connections } = flood;
  const hostile = await startHostileClients();
  const normal = startNormalClient(target.address, normalRequests);
  const clock = startLeftClock(takenByOthers(target.pid, hostile.pid));
  const left = ({ began, took }: Answered): number => clock.between(began, began + took);
  try {
    await delay(WARM_UP);
    const flooded = await attackTarget(target, hostile, flood, normal, clock);
    const { before, height, after, tally, others, heapLimit, began, ended } = flooded;
    const requests = (await normal.stop()).filter((each) => each.began >= began && each.began <= ended);
    const death = target.death();
    const faults = [
      ...(death === undefined ? [] : [`the process ended: ${death}`]),
      ...faultsOfHeight(height, heapLimit),
      ...(after === undefined ? [] : [...faultsOfAfter(before, after), ...faultsOfNormal(requests, left)]),
      ...flooded.faults,
    ];
    return {
      name,
      needs,
      connections,
      before,
      height,
      after,
      normal: latencyOf(requests, left),
      others,
      tally,
      faults,
    };
  } finally {
    clock.stop();
    await Promise.all([hostile.stop(), normal.stop()]);
  }
};
