import { Argument, type Command } from 'commander';
import { either as E } from 'fp-ts';
import { findErased } from '../../application/erasure/find-events.js';
import type { Config } from '../../config.js';
import type { Registry } from '../../entities/registry.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import {
  type Held,
  readErasureDecisions,
  recordErasureDecision,
} from '../../event-sourcing/erasure/erasure-decisions.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import { categoryOf, entityIdOf, type StreamName } from '../../event-sourcing/recorded-event.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
import { systemRuntime } from '../../infrastructure/system-runtime.js';
import { recordArgument, recordsIn } from '../audit/record-argument.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { describeAppendFailure } from '../log/describe-append-failure.js';
import { type DecidingLog, onDecidingLog } from '../log/on-deciding-log.js';
import { onConfiguredLog } from '../log/with-log.js';
import { failed, type JsonOption, jsonOption, print, printFinding } from '../output.js';
import { type ReasonOption, reasonOption } from '../reason-option.js';
import { recordOf } from '../reads/record-export.js';
import { type UserOption, userOption } from '../user-option.js';

type Options = JsonOption & UserOption & ReasonOption;

type Kind = 'RecordHeld' | 'RecordReleased';

const nameOf = (stream: StreamName): string => `${categoryOf(stream)}/${entityIdOf(stream)}`;

/** Since when, by whom and why a record is held. */
export const sinceWhen = ({ at, actor, reason }: Held): string => `since ${at} by ${actor}, because: ${reason}`;

/** What is said of a record that is now as it was asked for; `before`: how it was held until now. */
const outcomeOf = (kind: Kind, record: string, isNew: boolean, before: Held | undefined): string => {
  if (kind === 'RecordReleased')
    return isNew ? `released: ${record} may be erased` : `${record} is not held: nothing was recorded`;
  return isNew || before === undefined
    ? `held: ${record} is not erased until it is released`
    : `${record} is held already, ${sinceWhen(before)}: nothing was recorded`;
};

const decide = async (
  { store, registry, keys }: DecidingLog,
  kind: Kind,
  stream: StreamName,
  options: Options,
): Promise<ExitCode> => {
  const record = recordOf(registry, stream);
  const isThere = orThrow(await store.newestRevision(stream)) !== 'no-stream';
  if (record === undefined || (kind === 'RecordHeld' && !isThere))
    return failed(`not recorded: the log has no ${nameOf(stream)}`);
  if (kind === 'RecordHeld' && (await findErased(store, stream)).length > 0)
    return failed(`not recorded: ${nameOf(stream)} is erased`);
  let before: Held | undefined;
  const recorded = await recordErasureDecision(
    systemRuntime,
    store,
    { event: { type: kind, data: { ...record, reason: options.reason } }, actor: options.user },
    ({ held }) => {
      before = held.find((one) => one.entityType === record.entityType && one.entity === record.entity);
      return (before !== undefined) === (kind === 'RecordHeld');
    },
    keys,
  );
  if (E.isLeft(recorded)) return failed(`not recorded: ${describeAppendFailure(recorded.left)}`);
  const isNew = recorded.right;
  printFinding(options, outcomeOf(kind, nameOf(stream), isNew, before), {
    ...record,
    isHeld: kind === 'RecordHeld',
    isNew,
  });
  return EXIT.ok;
};

/** As commands name the record. */
const nameOfHeld = ({ entities }: Registry, { entityType, entity }: Held): string => {
  const kind = entities.find(({ ledgerKind }) => ledgerKind.entityType === entityType);
  return `${kind?.projection.category ?? entityType}/${entity}`;
};

const list = async (
  registry: Registry,
  store: Pick<EventStore, 'readStream'>,
  config: Config,
  options: JsonOption,
): Promise<ExitCode> => {
  const keys = await sharedEventKeys(systemRuntime.random, config);
  if (E.isLeft(keys)) return failed(keys.left.message);
  const { held } = await readErasureDecisions(store, keys.right);
  for (const one of held) printFinding(options, `${nameOfHeld(registry, one)}: held ${sinceWhen(one)}`, one);
  if (held.length === 0 && options.json !== true) print('no record is held');
  return EXIT.ok;
};

/** `ops hold …` */
export const addHold = (program: Command, registry: Registry): void => {
  const hold = program
    .command('hold')
    .description('records that must not be erased, because of a claim or an obligation');

  const decision = (name: string, kind: Kind, description: string): void => {
    hold
      .command(name)
      .description(description)
      .addArgument(new Argument('<record>', recordsIn(registry)).argParser((text) => recordArgument(registry)(text)[0]))
      .addOption(reasonOption())
      .addOption(userOption())
      .addOption(jsonOption('one JSON object: the record, and whether the decision is new'))
      .action((stream: StreamName, options: Options) =>
        onDecidingLog(registry, (log) => decide(log, kind, stream, options)),
      );
  };
  decision(
    'add',
    'RecordHeld',
    'records in the sealed tree that a record is not to be erased; a reason names nobody: it is kept for ever',
  );
  decision('release', 'RecordReleased', 'records in the sealed tree that a record that was held may be erased again');

  hold
    .command('list', { isDefault: true })
    .description('the records that are held, the one that was held first before the others')
    .addOption(jsonOption('one JSON object a line: each record that is held'))
    .action((options: JsonOption) =>
      onConfiguredLog(registry, (store, _, config) => list(registry, store, config, options)),
    );
};
