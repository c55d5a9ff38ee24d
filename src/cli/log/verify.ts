import type { Command } from 'commander';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { BrokenLink } from '../../event-sourcing/hash-chain.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { type Verified, type Verifying, verifyLog, verifyStream } from '../../event-sourcing/whole-log/verify-log.js';
import type { Registry } from '../../entities/registry.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { failed, interrupted, type JsonOption, jsonOption, printFinding } from '../output.js';
import { counted } from '../plural.js';
import { makeProgress } from '../progress.js';
import { streamArgument, streamsIn } from './arguments.js';
import { onConfiguredLog } from './with-log.js';
import { shareOfLog } from './share-of-log.js';

const reportBroken = ({ event, reason }: BrokenLink, options: JsonOption): void => {
  const { stream, id } = event;
  const revision = event.revision.toString();
  const text = `broken: ${stream}, revision ${revision}, event ${id}: ${reason}`;
  printFinding(options, text, { stream, revision, id, reason });
};

const reportCounts = ({ events, streams, broken }: Verified, options: JsonOption): void => {
  const found = broken === 0 ? 'every chain intact' : `${counted(broken, 'stream')} broken`;
  printFinding(options, `${counted(events, 'event')} in ${counted(streams, 'stream')}, ${found}`, {
    events,
    streams,
    broken,
  });
};

const conclude = (
  registry: Registry,
  verified: Verified,
  stream: StreamName | undefined,
  options: JsonOption,
): ExitCode => {
  if (!verified.isComplete) return interrupted(counted(verified.events, 'event'));
  if (stream !== undefined && verified.events === 0)
    return failed(`the log has no stream ${stream} (those of the service are named ${streamsIn(registry)})`);
  reportCounts(verified, options);
  return verified.broken === 0 ? EXIT.ok : EXIT.failed;
};

const verify = async (
  registry: Registry,
  store: EventStore,
  stream: StreamName | undefined,
  options: JsonOption,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const progress = makeProgress('verifying');
  const share = stream === undefined ? await shareOfLog(store) : () => undefined;
  const verifying: Verifying = {
    onBroken: (link) => {
      progress.end();
      reportBroken(link, options);
    },
    onPage: (events, reached) => progress.report(events, share(reached)),
    signal,
  };
  const verified =
    stream === undefined ? await verifyLog(store, verifying) : await verifyStream(store, stream, verifying);
  progress.end();
  return conclude(registry, verified, stream, options);
};

export const addVerify = (log: Command, registry: Registry): void => {
  log
    .command('verify')
    .argument('[stream]', `only this stream: ${streamsIn(registry)}`, streamArgument)
    .description(
      'recomputes the hash chain of every stream and names the first broken event of each that is broken\n' +
        '(reads the log once; remembers about 300 bytes a stream)',
    )
    .addOption(jsonOption('one JSON object a line: each broken event, then the counts'))
    .action((stream: StreamName | undefined, options: JsonOption) =>
      onConfiguredLog(registry, (store, signal) => verify(registry, store, stream, options, signal)),
    );
};
