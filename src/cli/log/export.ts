import { type Command, Option } from 'commander';
import type { Config } from '../../config.js';
import { orThrow } from '../../event-sourcing/attempt.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { Position, StreamName } from '../../event-sourcing/recorded-event.js';
import { exportLog, type Selection } from '../../event-sourcing/whole-log/export-log.js';
import { categoriesOf, type Registry } from '../../entities/registry.js';
import type { OpenLog } from '../../infrastructure/open-stores.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { failed, interrupted, printNote, write } from '../output.js';
import { noStream, positionArgument, streamArgument, streamsIn } from './arguments.js';
import { afterRecording, recordOf } from '../reads/record-export.js';
import { runCommand } from '../run-command.js';
import { readingUserOption, type UserOption } from '../user-option.js';
import { addReadsBeside } from './add-reads-beside.js';
import { withConfiguredLog } from './with-log.js';
import { shareOfLog } from './share-of-log.js';

type Options = UserOption & {
  readonly stream?: StreamName;
  readonly category?: string;
  readonly since?: Position;
  readonly withoutData?: true;
};

const selectionOf = ({ stream, category, since }: Options): Selection =>
  stream === undefined ? { _tag: 'Log', category, since } : { _tag: 'Stream', stream, since };

const isMissing = async (store: EventStore, stream: StreamName): Promise<boolean> =>
  orThrow(await store.newestRevision(stream)) === 'no-stream';

const writeAll = async (store: EventStore, options: Options, signal: AbortSignal): Promise<ExitCode> => {
  const { stream, since } = options;
  const share = stream === undefined ? await shareOfLog(store, since) : () => undefined;
  const progress = makeProgress('exporting');
  let exported = 0;
  for await (const { text, events, reached } of exportLog(store, selectionOf(options), options.withoutData !== true)) {
    if (signal.aborted) {
      progress.end();
      return interrupted(counted(exported, 'event'));
    }
    if (!(await write(text))) {
      progress.end();
      return EXIT.interrupted;
    }
    exported += events;
    progress.report(exported, share(reached));
  }
  progress.end();
  printNote(`exported ${counted(exported, 'event')}`);
  return EXIT.ok;
};

const exportTo = async (
  registry: Registry,
  opened: Pick<OpenLog, 'log' | 'database'>,
  options: Options,
  config: Config,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const { user, stream, category, since, withoutData } = options;
  const { log: store } = opened;
  if (stream !== undefined && (await isMissing(store, stream))) return failed(noStream(stream, registry));
  const record = stream === undefined ? undefined : recordOf(registry, stream);
  const exported = {
    ...{ user, operation: 'ops log export', form: 'ndjson', records: [record] },
    options: { stream, category, position: since?.toString(), 'without-data': withoutData?.toString() },
  };
  return afterRecording(config, addReadsBeside(config, opened), exported, () => writeAll(store, options, signal));
};

export const addExport = (log: Command, registry: Registry): void => {
  log
    .command('export')
    .description(
      'writes the log to standard output, one JSON object a line, with the stored texts byte for byte\n' +
        '(docs/verify.md says how to check it without this program)',
    )
    .addOption(
      new Option('--stream <stream>', `only this stream: ${streamsIn(registry)}`)
        .argParser(streamArgument)
        .conflicts('category'),
    )
    .addOption(new Option('--category <category>', 'only streams of this category').choices(categoriesOf(registry)))
    .option('--since <position>', 'only events behind this one: the position in the last line', positionArgument)
    .option('--without-data', 'leave out the data and its salts: every chain can still be verified')
    .addOption(readingUserOption())
    .action((options: Options) =>
      runCommand((config, signal) =>
        withConfiguredLog(config, registry, (opened) => exportTo(registry, opened, options, config, signal)),
      ),
    );
};
