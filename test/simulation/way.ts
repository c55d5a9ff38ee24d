import type { SimulatedProcess, World } from './world.js';

/** Nothing reaches what a call goes to, until then. `isSilent`: it waits for that; otherwise it is refused. */
export type Outage = { readonly until: number; readonly isSilent: boolean };

export const MOMENTS = ['before it takes effect', 'after it took effect', 'with its answer on the way'] as const;

/** When in a call its process ends. */
type Moment = (typeof MOMENTS)[number];

/** What may become of a call on its way. */
export type Mishap =
  /** `kill` ends the process. */
  | { readonly _tag: 'Killed'; readonly moment: Moment; readonly kill: () => void }
  /** Its process stands still, before it takes effect or while the answer is on its way. */
  | { readonly _tag: 'Frozen'; readonly ms: number; readonly isAnswer: boolean }
  /** There is no space for what is to be written. */
  | { readonly _tag: 'Full' }
  | { readonly _tag: 'Late'; readonly ms: number; readonly isRequest: boolean }
  /** Its connection is lost after so many ms, when it took effect. With `lateMs` it has not yet, and does so then. */
  | { readonly _tag: 'Lost'; readonly ms: number; readonly lateMs: number };

/** Why a call ends without an answer, or with that of a full disk. What was silent or lost may have taken effect, or may yet. */
export type Failure = 'Refused' | 'Silent' | 'Lost' | 'Full';

/** What happens between a process and something that it reaches. */
export type Luck = {
  /** Undefined: it is reached. */
  readonly outage: () => Outage | undefined;
  /** Asked once for each call. Undefined for nearly all. */
  readonly mishap: (name: string) => Mishap | undefined;
  /** Whether a call that nobody waits for any more takes effect all the same. */
  readonly comesLate: (name: string) => boolean;
  /** A connection was lost, and is there again. */
  readonly onRepeated: (name: string) => void;
};

type Fail<A> = (failure: Failure) => Promise<A>;

type CallOptions = {
  /** How long it is waited for, ms. Default: that of the way. */
  readonly patienceMs?: number;
};

/** How a process reaches what it shares with others: a call takes effect after a while, and is answered a while later. */
export type Way = {
  /** `fail` makes what a call ends with that had no answer. */
  readonly call: <A>(name: string, effect: () => Promise<A>, fail: Fail<A>, options?: CallOptions) => Promise<A>;
  /** As `call`, of what reads: each batch is a call. */
  readonly pull: <A>(
    name: string,
    source: AsyncIterable<A>,
    fail: Fail<never>,
    options?: CallOptions,
  ) => AsyncIterable<A>;
  /** As `pull`, of what goes on until `signal` aborts: it is begun anew after each loss, where it was. */
  readonly follow: <A>(name: string, source: AsyncIterable<A>, signal: AbortSignal) => AsyncIterable<A>;
  /** What comes by itself; `onMissed` when it does not come. */
  readonly hear: (task: () => void, onMissed: () => void) => void;
};

type WayOptions = {
  /** How long a call is waited for, ms. */
  readonly patienceMs: number;
  /** Whether what reaches it repeats a call as long as it is waited for. Then an effect may happen twice. */
  readonly repeats: boolean;
};

/** Longest time to and from what is shared, and longest pause before a call is repeated, ms. */
const [WAY_MS, REPEAT_MS] = [4, 300];

/** What a process does that was killed. */
const nothing = new Promise<never>(() => undefined);

export const makeWay = (
  world: World,
  process: SimulatedProcess,
  luck: Luck,
  { patienceMs: patience, repeats }: WayOptions,
): Way => {
  const back = (): Promise<void> => process.arrive(world.random() * WAY_MS);

  /** Half of the calls are on their way when their process stands still, and arrive; the others it has yet to send. */
  const go = async (): Promise<void> => {
    const ms = world.random() * WAY_MS;
    if (ms < WAY_MS / 2) return process.arrive(ms);
    await world.sleep(ms);
    return process.isAlive() ? undefined : nothing;
  };

  /** Whether it is over before a call is given up. */
  const outlasts = async ({ until }: Pick<Outage, 'until'>, giveUpAt: number): Promise<boolean> => {
    await process.arrive(Math.min(until, giveUpAt) - world.now());
    return until <= giveUpAt;
  };

  /** After nobody waits for it any more. */
  const takeEffectAt = (time: number, effect: () => Promise<unknown>): void => {
    const run = (): Promise<unknown> => (process.isAlive() ? effect() : Promise.resolve());
    world
      .sleep(time - world.now())
      .then(run)
      .catch(() => undefined);
  };

  const killed = ({ kill }: Extract<Mishap, { readonly _tag: 'Killed' }>): Promise<never> => {
    kill();
    return nothing;
  };

  const call: Way['call'] = async (name, effect, fail, { patienceMs = patience } = {}) => {
    const giveUpAt = world.now() + patienceMs;
    await go();
    for (;;) {
      const outage = luck.outage();
      if (outage !== undefined) {
        if (!outage.isSilent && !repeats) return fail('Refused');
        if (await outlasts(outage, giveUpAt)) continue;
        if (outage.isSilent && luck.comesLate(name)) takeEffectAt(outage.until, effect);
        return fail(outage.isSilent ? 'Silent' : 'Refused');
      }
      const mishap = luck.mishap(name);
      if (mishap?._tag === 'Killed' && mishap.moment === 'before it takes effect') return killed(mishap);
      if (mishap?._tag === 'Full') return back().then(() => fail('Full'));
      if (mishap?._tag === 'Frozen' && !mishap.isAnswer) {
        process.freeze(mishap.ms);
        await process.arrive(0);
      }
      const late = mishap?._tag === 'Late' ? world.now() + mishap.ms : 0;
      if (mishap?._tag === 'Late' && mishap.isRequest && !(await outlasts({ until: late }, giveUpAt))) {
        if (luck.comesLate(name)) takeEffectAt(late, effect);
        return fail('Silent');
      }
      const isYetToCome = mishap?._tag === 'Lost' && mishap.lateMs > 0;
      if (isYetToCome) {
        takeEffectAt(world.now() + mishap.lateMs, effect);
        await back();
        if (!repeats) return fail('Lost');
        await process.arrive(world.random() * REPEAT_MS);
        luck.onRepeated(name);
        continue;
      }
      const done = await effect();
      if (mishap?._tag === 'Killed' && mishap.moment === 'after it took effect') return killed(mishap);
      if (mishap?._tag === 'Frozen' && mishap.isAnswer) process.freeze(mishap.ms);
      if (late > world.now() && !(await outlasts({ until: late }, giveUpAt))) return fail('Silent');
      if (mishap?._tag === 'Lost' && !(await outlasts({ until: world.now() + mishap.ms }, giveUpAt)))
        return fail('Silent');
      await back();
      if (mishap?._tag === 'Killed') return killed(mishap);
      const since = luck.outage();
      if (since === undefined && mishap?._tag !== 'Lost') return done;
      if (since?.isSilent === true && mishap?._tag !== 'Lost')
        return (await outlasts(since, giveUpAt)) ? done : fail('Silent');
      if (!repeats) return fail('Lost');
      await process.arrive(world.random() * REPEAT_MS);
      luck.onRepeated(name);
    }
  };

  const pull: Way['pull'] = async function* (name, source, fail, options) {
    const reading = source[Symbol.asyncIterator]();
    try {
      for (;;) {
        let given: ReturnType<typeof reading.next> | undefined;
        const next = await call(name, () => (given ??= reading.next()), fail, options);
        if (next.done === true) return;
        yield next.value;
      }
    } finally {
      await reading.return?.();
    }
  };

  const follow: Way['follow'] = async function* (name, source, signal) {
    const reading = source[Symbol.asyncIterator]();
    const aborted = new Promise<void>((resolve) => {
      if (signal.aborted) resolve();
      signal.addEventListener('abort', () => resolve(), { once: true });
    });
    const wait = (ms: number): Promise<void> => Promise.race([process.arrive(ms), aborted]);
    try {
      for (;;) {
        const next = await reading.next();
        if (next.done === true) return;
        const mishap = luck.mishap(name);
        if (mishap?._tag === 'Killed') return await killed(mishap);
        if (mishap?._tag === 'Frozen') process.freeze(mishap.ms);
        await back();
        if (mishap?._tag === 'Late' || mishap?._tag === 'Lost') await wait(mishap.ms);
        let isLost = mishap?._tag === 'Lost';
        for (let outage = luck.outage(); outage !== undefined && !signal.aborted; outage = luck.outage()) {
          await wait(outage.until - world.now() + world.random() * REPEAT_MS);
          isLost = true;
        }
        if (signal.aborted) return;
        if (isLost) luck.onRepeated(name);
        yield next.value;
      }
    } finally {
      await reading.return?.();
    }
  };

  return {
    call,
    pull,
    follow,
    hear: (task, onMissed) => void back().then(luck.outage() === undefined ? task : onMissed),
  };
};
