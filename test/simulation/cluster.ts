import { categoriesOf } from '../../projections/read-model.js';
import { readModelsOf, registry } from '../../src/entities/registry.js';
import { orThrow } from '../../src/event-sourcing/attempt.js';
import type { StreamName } from '../../src/event-sourcing/recorded-event.js';
import { drawCheckpointKey } from '../support/memory-adapters/memory-config.js';
import { below, oneOf } from './chance.js';
import type { Erasures } from './erasures.js';
import { type Fault, faultsOf, type Victim } from './faults.js';
import type { Notebook } from './notebook.js';
import { makeOperations } from './operations.js';
import { ERASING_PLANS, PLANS } from './operator.js';
import { type Program, PROGRAMS } from './program.js';
import { type Service, type Shared, startIn } from './service.js';
import { makeTroubles, type Place } from './trouble.js';
import type { Mishap } from './way.js';
import type { SimulatedProcess, World } from './world.js';

const SERVICES = 2;
/** The longest pause between the beginnings of two faults, and how long one lasts at most, ms. */
const [PAUSE_MS, LONGEST_MS] = [14_000, 8_000];
/** How long a program that could not start is left alone, ms. */
const AGAIN_MS = 500;
/** How long it takes until all that was hindered knows what it missed, ms. */
const KNOWN_MS = 2_000;
/** The longest that a stop or a command may take, ms: what it waits for may be away meanwhile. */
const ENDS_MS = 60_000;
/** Within which each request is answered, ms. */
const ANSWERED_MS = 3_000;

/** How late an answer of the end of the ledger is, ms: later than the next rows of it. */
const HELD_UP_MS = 700;

/** In so many lives a read model is rebuilt when nothing is written any more. */
const REBUILT = 0.3;

export type Cluster = {
  /** With which each of them signs. */
  readonly checkpointKey: string;
  /** What operators erase, where the data of this life can be. */
  readonly erasures: Erasures | undefined;
  /** Each that runs now. */
  readonly running: () => ReadonlyArray<Service>;
  /** Begins what goes wrong: so many things, several at a time. */
  readonly beginFaults: (many: number) => void;
  /** From now on nothing goes wrong that has not begun. In the end all services are of one version again. */
  readonly endFaults: () => void;
  /** Resolves when nothing goes wrong any more, and all that was begun to be erased is. */
  readonly untilErased: Promise<void>;
  /** The next answer of the end of the ledger comes late to each service, which feeds must bear. */
  readonly holdUpFeeds: () => void;
  /** An operator may rebuild a read model. */
  readonly rebuild: () => Promise<void>;
  /** How many pages the log gives a record's history in, beyond the first. */
  readonly pagesBehindFirst: (stream: StreamName) => Promise<number>;
  readonly stop: () => Promise<void>;
};

/** One of the services, over all the processes that it has one after the other. */
type Slot = {
  readonly name: string;
  program: Program;
  process: SimulatedProcess;
  service: Service | undefined;
  isStopping: boolean;
  downMs: number;
};

type ClusterOptions = {
  /** Default: a new one. */
  readonly checkpointKey?: string;
  /** For how long the log answers late from the start on, ms. */
  readonly slowMs?: number;
};

/** Several services that share a log, read models and files, as the processes of one installation do. */
export const startCluster = async (
  world: World,
  shared: Shared,
  notes: Notebook,
  { checkpointKey: given, slowMs = 0 }: ClusterOptions = {},
): Promise<Cluster> => {
  const { say, count, breaks } = notes;
  const { random } = world.begin();
  const { fraction } = random;
  const { erasures } = shared;
  const checkpointKey = given ?? drawCheckpointKey(random);
  const troubles = makeTroubles(world, notes);
  troubles.slowDown(undefined, 'log', world.now() + slowMs);
  let [isFaulty, isOver] = [false, false];

  const slots = Array.from({ length: SERVICES }, (_, number): Slot => ({
    name: `service ${number}`,
    program: 'old',
    process: world.begin(),
    service: undefined,
    isStopping: false,
    downMs: AGAIN_MS,
  }));

  /** One process after the other. */
  const live = async (slot: Slot, onRunning: () => void): Promise<void> => {
    const { name } = slot;
    for (; !isOver; slot.process = world.begin()) {
      const { process, program } = slot;
      try {
        const luckOf = (place: Place) => troubles.luckOf(name, process, place);
        const options = { checkpointKey, program, luckOf, say: (line: string) => say(`${name}: ${line}`) };
        slot.service = await startIn(world, process, shared, options);
        say(`${name} runs, of the ${program} version`);
        onRunning();
      } catch (error) {
        say(`${name} could not start: ${String(error)}`);
      }
      // the others have ended themselves
      await process.end.catch(() => undefined);
      [slot.service, slot.isStopping] = [undefined, false];
      await world.sleep(slot.downMs);
      slot.downMs = AGAIN_MS;
    }
  };

  const stopInOrder = async ({ name, service, process }: Slot): Promise<void> => {
    if (service === undefined) return;
    const stopping = service.stop().then(
      () => 'stopped' as const,
      () => 'killed' as const,
    );
    const ended = await Promise.race([stopping, world.sleep(ENDS_MS).then(() => undefined)]);
    if (ended === undefined) breaks(`${name} does not stop`);
    // a request whose client has left may still wait for what would have been its answer
    if (ended === 'stopped' && process.waiting() > 0) await world.sleep(ANSWERED_MS);
    if (ended === 'stopped' && process.waiting() > 0)
      breaks(`${name} has stopped, and ${process.waiting()} timers wait`);
    service.kill();
  };

  const restart = (slot: Slot, isOtherProgram: boolean): void => {
    if (slot.service === undefined || slot.isStopping) return;
    slot.isStopping = true;
    if (isOtherProgram) slot.program = PROGRAMS.find((program) => program !== slot.program) ?? slot.program;
    const what = slot.program === 'new' ? 'is upgraded' : 'goes back to the version before';
    note(slot.name, isOtherProgram ? what : 'is restarted');
    void stopInOrder(slot);
  };

  const victimOf = (slot: Slot): Victim => ({
    name: slot.name,
    process: slot.process,
    kill: (downMs) => {
      slot.downMs = downMs;
      if (slot.service === undefined) slot.process.kill();
      else slot.service.kill();
      slot.service = undefined;
    },
    restart: (isOtherProgram) => restart(slot, isOtherProgram),
  });

  const note = (who: string, what: string, more = ''): void => {
    say(`${who} ${what} ${more}`.trimEnd());
    count(`${who.startsWith('service') ? 'a service' : who} ${what}`);
  };

  const operations = makeOperations({
    ...{ world, shared, notes, troubles, random, checkpointKey, note },
    drawProgram: () => oneOf({ random }, slots)?.program ?? 'old',
    isFaulty: () => isFaulty,
  });
  /** What operators do, and have done. */
  const operating: Array<Promise<void>> = [];
  const faults = faultsOf({
    world,
    troubles,
    random,
    note,
    plans: erasures === undefined ? PLANS : ERASING_PLANS,
    operate: (plan) => void operating.push(operations.carryOut(plan)),
  });
  const hindered = { notes: -Infinity, log: -Infinity };

  /** Whether the live rows show all of the log: then no process knows of a change that others cannot learn of. */
  const areRowsLevel = async (): Promise<boolean> => {
    const live = new Map(
      (await shared.storage.liveCheckpoints()).map(({ projection, commit }) => [projection, commit]),
    );
    for (const model of readModelsOf(registry)) {
      const head = orThrow(await shared.store.head(categoriesOf(model)));
      if ((head ?? -1n) > (live.get(model.name) ?? -1n)) return false;
    }
    return true;
  };

  const mayBegin = async ({ hinders }: Fault): Promise<boolean> => {
    if (hinders === undefined) return true;
    const isOtherHindered = hindered[hinders === 'log' ? 'notes' : 'log'] + KNOWN_MS > world.now();
    return !isOtherHindered && (hinders === 'notes' || world.standStill(areRowsLevel()));
  };

  const makeTrouble = async (many: number): Promise<void> => {
    for (let left = many; left > 0; left -= 1) {
      await world.sleep(fraction() * PAUSE_MS);
      const fault = oneOf({ random }, faults);
      const number = below({ random }, SERVICES);
      const [slot, other] = [slots[number], slots[(number + 1) % SERVICES]];
      const ms = fraction() * LONGEST_MS;
      if (fault === undefined || slot === undefined || other === undefined || !(await mayBegin(fault))) continue;
      if (!isFaulty) return;
      if (fault.hinders !== undefined) hindered[fault.hinders] = Math.max(hindered[fault.hinders], world.now() + ms);
      fault.begin(victimOf(slot), ms, victimOf(other));
    }
  };

  let onErased = (): void => undefined;
  const untilErased = new Promise<void>((resolve) => (onErased = resolve));
  const endErasures = async (): Promise<void> => {
    await Promise.all(operating);
    await operations.endErasures();
  };

  const goBack = async (): Promise<void> => {
    await world.sleep(LONGEST_MS);
    for (const slot of slots)
      while (slot.program !== 'old' && !isOver) {
        restart(slot, true);
        await world.sleep(AGAIN_MS);
      }
  };

  await Promise.all(slots.map((slot) => new Promise<void>((onRunning) => void live(slot, onRunning))));
  return {
    checkpointKey,
    erasures,
    running: () => slots.flatMap(({ service, isStopping }) => (service === undefined || isStopping ? [] : service)),
    beginFaults: (many) => {
      isFaulty = true;
      troubles.setLossy(many > 0);
      void makeTrouble(many);
    },
    endFaults: () => {
      isFaulty = false;
      troubles.setLossy(false);
      say('nothing goes wrong any more');
      void goBack();
      if (erasures === undefined) onErased();
      else void endErasures().then(onErased);
    },
    untilErased,
    holdUpFeeds: () => {
      const mishap = (): Mishap => ({ _tag: 'Late', ms: HELD_UP_MS, isRequest: false });
      for (const { process } of slots) troubles.lieInWait(process, { name: 'ledger tail', skipped: 0, mishap });
    },
    rebuild: () => operations.carryOut(fraction() < REBUILT ? [['rebuild']] : []),
    pagesBehindFirst: async (stream) => {
      let pages = 0;
      for await (const page of shared.store.readStream(stream, { direction: 'forwards' }))
        pages += Math.min(1, page.length);
      return Math.max(0, pages - 1);
    },
    stop: async () => {
      isOver = true;
      await Promise.all(slots.map(stopInOrder));
    },
  };
};
