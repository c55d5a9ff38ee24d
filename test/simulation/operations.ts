import { LEASE_MS } from '../../projections/engine/generation/lease.js';
import type { Subject } from '../../src/application/erasure/find-events.js';
import { readErasures } from '../../src/application/erasure/read-erasures.js';
import { readModelsOf, registry } from '../../src/entities/registry.js';
import { orThrow } from '../../src/event-sourcing/attempt.js';
import type { Random } from '../../src/event-sourcing/random.js';
import { entityIdOf, type StreamName } from '../../src/event-sourcing/recorded-event.js';
import { sharedEventKeys } from '../../src/infrastructure/event-keys.js';
import { memoryConfig } from '../support/memory-adapters/memory-config.js';
import { below, oneOf } from './chance.js';
import { USERS } from './clients/users.js';
import type { Notebook } from './notebook.js';
import { ERASED, REFUSED } from './erasing.js';
import { type Command, nameOf, operate, type Target } from './operator.js';
import { type Program, registryOf } from './program.js';
import { reachedBy, type Shared } from './service.js';
import { type Place, PLACES, type Troubles } from './trouble.js';
import type { Mishap } from './way.js';
import type { SimulatedProcess, World } from './world.js';

/** The longest pause between two commands of an operator, ms. */
const STEP_MS = 3_000;
/** The longest that a command may take, ms: what it waits for may be away meanwhile. */
const ENDS_MS = 60_000;
/** The same of an erasure, which waits for each process and for rows. */
const ERASED_MS = 300_000;
/** How long the answers to a command are late, ms. */
const LATE_MS = 8_000;

/** The call at which something happens to the process of a command. Default: any. */
const AT_CALL: Partial<Record<Command, string>> = { repair: 'rewrite' };

/** As a trace names one. */
const OPERATOR = 'an operator';

/** The records of a kind, the oldest first. */
const streamsOf = async (store: Shared['store'], kind: string): Promise<ReadonlyArray<StreamName>> => {
  const streams = new Set<StreamName>();
  for await (const { events } of store.readAll({ after: 'start', categories: [kind] }))
    for (const { stream } of events) streams.add(stream);
  return [...streams];
};

/** What operators do to a cluster. */
type Operations = {
  /** Step by step, what is in one step at the same time; each erasure until it has ended. */
  readonly carryOut: (plan: ReadonlyArray<ReadonlyArray<Command>>) => Promise<void>;
  /** Ends what was begun to be erased. */
  readonly endErasures: () => Promise<void>;
};

type OperationsOptions = {
  readonly world: World;
  readonly shared: Shared;
  readonly notes: Notebook;
  readonly troubles: Troubles;
  readonly random: Random;
  readonly checkpointKey: string;
  /** The version of one of the services. */
  readonly drawProgram: () => Program;
  readonly isFaulty: () => boolean;
  readonly note: (who: string, what: string, more?: string) => void;
};

/** What operators do, and what happens to them meanwhile. */
export const makeOperations = (options: OperationsOptions): Operations => {
  const { world, shared, notes, troubles, random, checkpointKey, drawProgram, isFaulty, note } = options;
  const { say, breaks } = notes;
  const { fraction } = random;
  const { erasures } = shared;

  /** What happens to the process of a command in its midst. */
  const endanger = (process: SimulatedProcess, command: Command): void => {
    const chance = fraction();
    const name = AT_CALL[command];
    const skipped = name === undefined ? below({ random }, 60) : 0;
    const kill = (): void => {
      note(OPERATOR, `is killed in ${nameOf(command)}`);
      process.kill();
    };
    const moment = fraction() < 0.5 ? 'before it takes effect' : 'after it took effect';
    const freeze = (): Mishap => {
      const ms = LEASE_MS + fraction() * 2_000;
      note(OPERATOR, `is frozen in ${nameOf(command)}`, `for ${ms.toFixed(0)} ms`);
      return { _tag: 'Frozen', ms, isAnswer: fraction() < 0.5 };
    };
    if (chance < 0.25) troubles.lieInWait(process, { name, skipped, mishap: () => ({ _tag: 'Killed', moment, kill }) });
    else if (chance < 0.5) troubles.lieInWait(process, { name, skipped, mishap: freeze });
    else if (chance < 0.75) {
      note(OPERATOR, `gets late answers in ${nameOf(command)}`);
      for (const place of PLACES) troubles.slowDown(process, place, world.now() + LATE_MS);
    }
  };

  /** Gives what it says. */
  const runCommand = async (command: Command, target: Target, program: Program): Promise<string> => {
    const process = world.begin();
    const about = command === 'erasure' ? JSON.stringify(target.subject ?? 'what was begun') : target.readModel;
    note(OPERATOR, `begins ${nameOf(command)}`, `of ${about} with the ${program} version`);
    if (isFaulty()) endanger(process, command);
    const luckOf = (place: Place) => troubles.luckOf(OPERATOR, process, place);
    const reached = reachedBy(world, process, shared, luckOf);
    const config = memoryConfig(checkpointKey, erasures !== undefined);
    const operator = { ...reached, process, config, erasures, registry: registryOf(world, program), notes };
    const operating = operate(operator, command, target).catch(() => 'killed');
    const longest = world.sleep(command === 'erasure' ? ERASED_MS : ENDS_MS);
    const said = (await Promise.race([operating, longest.then(() => undefined)])) ?? 'does not end';
    if (said === 'does not end') breaks(`${nameOf(command)} does not end`);
    say(`${OPERATOR}'s ${command} of ${about}: ${said}`);
    if (said !== 'killed' && process.waiting() > 0)
      breaks(`${nameOf(command)} has ended, and ${process.waiting()} timers wait`);
    process.kill();
    return said;
  };

  /** What is to be erased: of records that there are. */
  const drawSubject = async (): Promise<Subject | undefined> => {
    const kind = oneOf({ random }, ['owner', 'business', 'document'] as const);
    if (kind === 'owner') return { kind, user: oneOf({ random }, USERS) ?? '' };
    const streams = kind === undefined ? [] : await world.standStill(streamsOf(shared.store, kind));
    const stream = oneOf({ random }, fraction() < 0.5 ? streams.slice(-2) : streams);
    return kind === undefined || stream === undefined ? undefined : { kind, id: entityIdOf(stream) };
  };

  /** What was begun and has not ended. */
  const areErasuresUnfinished = async (): Promise<boolean> => {
    const keys = orThrow(await sharedEventKeys(random, memoryConfig(checkpointKey)));
    for await (const { unfinished } of readErasures(shared.store, keys)) if (unfinished.length > 0) return true;
    return false;
  };

  /** Until nothing is left of what was begun: by the same command again, of the version of any service. */
  const runErasure = async (subject: Subject | undefined, first: Program): Promise<void> => {
    const run = (program: Program): Promise<string> => runCommand('erasure', { readModel: '', subject }, program);
    let said = await run(first);
    let isUnfinished = await world.standStill(areErasuresUnfinished());
    if (said.startsWith(REFUSED) && !isUnfinished) return;
    while (!said.startsWith(ERASED) || isUnfinished) {
      await world.sleep(fraction() * STEP_MS);
      said = await run(drawProgram());
      isUnfinished = await world.standStill(areErasuresUnfinished());
    }
  };

  const runStep = async (command: Command, target: Target, program: Program): Promise<void> => {
    if (command === 'erasure') await runErasure(target.subject, program);
    else await runCommand(command, target, program);
  };

  const carryOut = async (plan: ReadonlyArray<ReadonlyArray<Command>>): Promise<void> => {
    const models = readModelsOf(registry);
    const readModel = oneOf({ random }, models)?.name ?? '';
    const program = drawProgram();
    const isErased = plan.flat().includes('erasure');
    const subject = isErased ? await drawSubject() : undefined;
    if (isErased && subject === undefined) return;
    for (const step of plan) {
      await Promise.all(step.map((command) => runStep(command, { readModel, subject }, program)));
      await world.sleep(fraction() * STEP_MS);
    }
  };

  return {
    carryOut,
    endErasures: async () => {
      if (await world.standStill(areErasuresUnfinished())) await runErasure(undefined, 'old');
    },
  };
};
