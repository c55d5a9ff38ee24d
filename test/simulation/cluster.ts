import { drawCheckpointKey } from '../support/memory-adapters/memory-config.js';
import type { Notebook } from './notebook.js';
import { type Service, type Shared, startIn } from './service.js';
import type { Mishap } from './way.js';
import type { SimulatedProcess, World } from './world.js';

const SERVICES = 2;
/** Of so many calls one gets no answer, though it took effect. */
const LOST = 1 / 300;
/** The pause between two faults, and how long one lasts at most, ms. */
const [PAUSE_MS, LONGEST_MS] = [6_000, 8_000];
const AGAIN_MS = 500;

export type Cluster = {
  /** Each that runs now. */
  readonly running: () => ReadonlyArray<Service>;
  /** Begins what goes wrong: so many things, one after the other. */
  readonly beginFaults: (many: number) => void;
  /** From now on nothing goes wrong that has not begun. */
  readonly endFaults: () => void;
  readonly stop: () => Promise<void>;
};

/** Several services that share a log, read models and files, as the processes of one installation do. */
export const startCluster = async (world: World, shared: Shared, notes: Notebook): Promise<Cluster> => {
  const { say, count } = notes;
  const checkpointKey = drawCheckpointKey(world.begin().random);
  const services: Array<Service | undefined> = Array.from({ length: SERVICES }, () => undefined);
  let cut: { readonly process: SimulatedProcess; readonly from: string } | undefined;
  let isFaulty = false;

  const mishapOf = (of: 'log' | 'rows', process: SimulatedProcess): Mishap => {
    if (cut?.process === process && cut.from === of) return 'Refused';
    if (!isFaulty || world.random() >= LOST) return undefined;
    count(`an answer of the ${of} is lost`);
    return 'Lost';
  };

  const begin = async (number: number): Promise<void> => {
    const options = { checkpointKey, mishapOf, say: (line: string) => say(`service ${number}: ${line}`) };
    while (services[number] === undefined)
      try {
        services[number] = await startIn(world, shared, options);
        say(`service ${number} runs`);
      } catch (error) {
        say(`service ${number} could not start: ${String(error)}`);
        await world.sleep(AGAIN_MS);
      }
  };

  const cutOff =
    (from: 'log' | 'rows') =>
    async ({ process }: Service, ms: number): Promise<void> => {
      cut = { process, from };
      await world.sleep(ms);
      cut = undefined;
    };

  /** Each ends when all is as before, but for what the service remembers. */
  const faults: Readonly<Record<string, (service: Service, ms: number, number: number) => Promise<void>>> = {
    'is killed': async (service, ms, number) => {
      services[number] = undefined;
      service.kill();
      await world.sleep(ms);
      await begin(number);
    },
    'is frozen': async ({ process }, ms) => {
      process.freeze(ms);
      await world.sleep(ms);
    },
    'has its clock set': ({ process }, ms) => {
      process.setBy(world.random() < 0.5 ? ms : -ms);
      return Promise.resolve();
    },
    'is cut off from the log': cutOff('log'),
    'is cut off from the rows': cutOff('rows'),
  };

  const makeTrouble = async (many: number): Promise<void> => {
    const names = Object.keys(faults);
    for (let left = many; left > 0; left -= 1) {
      await world.sleep(world.random() * PAUSE_MS);
      if (!isFaulty) return;
      const number = Math.floor(world.random() * SERVICES);
      const name = names[Math.floor(world.random() * names.length)] ?? '';
      const service = services[number];
      if (service === undefined) continue;
      say(`service ${number} ${name}`);
      count(`a service ${name}`);
      await faults[name]?.(service, world.random() * LONGEST_MS, number);
    }
  };

  await Promise.all(services.map((_, number) => begin(number)));
  return {
    running: () => services.flatMap((service) => service ?? []),
    beginFaults: (many) => {
      isFaulty = true;
      void makeTrouble(many);
    },
    endFaults: () => {
      isFaulty = false;
      say('nothing goes wrong any more');
    },
    stop: async () => {
      await Promise.all(services.map((service) => service?.stop() ?? Promise.resolve()));
      for (const [number, service] of services.entries()) {
        const waiting = service?.process.waiting() ?? 0;
        if (waiting > 0) notes.breaks(`service ${number} has stopped, and ${waiting} timers wait`);
      }
    },
  };
};
