import type { Command } from 'commander';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { BrokenLink } from '../../event-sourcing/hash-chain.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import { type Verified, type Verifying, verifyLog, verifyStream } from '../../event-sourcing/whole-log/verify-log.js';
import { configuredLog } from '../../infrastructure/open-log.js';
import { EXIT, type ExitCode } from '../exit-code.js';
import { makeProgress } from '../progress.js';
import { runCommand, tell } from '../run-command.js';
import { standardError } from '../terminal.js';
import { streamArgument } from './arguments.js';
import { shareOfLog } from './share-of-log.js';
import { withLog } from './with-log.js';

type Options = { readonly json?: true };

const print = (text: string): void => void process.stdout.write(`${text}\n`);

const brokenLine = ({ event, reason }: BrokenLink, json: boolean): string => {
  const { stream, id } = event;
  const revision = event.revision.toString();
  return json
    ? JSON.stringify({ stream, revision, id, reason })
    : `broken: ${stream}, revision ${revision}, event ${id}: ${reason}`;
};

const summary = ({ events, streams, broken }: Verified, json: boolean): string =>
  json
    ? JSON.stringify({ events, streams, broken })
    : `${events} events in ${streams} streams, ${broken === 0 ? 'every chain intact' : `${broken} streams broken`}`;

const conclude = (verified: Verified, stream: StreamName | undefined, json: boolean): ExitCode => {
  if (!verified.isComplete) {
    tell(`interrupted after ${verified.events} events`);
    return EXIT.interrupted;
  }
  if (stream !== undefined && verified.events === 0) {
    tell(`the log has no stream ${stream}`);
    return EXIT.failed;
  }
  print(summary(verified, json));
  return verified.broken === 0 ? EXIT.ok : EXIT.failed;
};

const verify = async (
  store: EventStore,
  stream: StreamName | undefined,
  { json = false }: { readonly json?: boolean },
  signal: AbortSignal,
): Promise<ExitCode> => {
  const progress = makeProgress(standardError, 'verifying');
  const share = stream === undefined ? await shareOfLog(store) : () => undefined;
  const verifying: Verifying = {
    onBroken: (link) => {
      progress.end();
      print(brokenLine(link, json));
    },
    onPage: (events, reached) => progress.report(events, share(reached)),
    signal,
  };
  const verified =
    stream === undefined ? await verifyLog(store, verifying) : await verifyStream(store, stream, verifying);
  progress.end();
  return conclude(verified, stream, json);
};

export const addVerify = (log: Command): void => {
  log
    .command('verify')
    .argument('[stream]', 'only this stream', streamArgument)
    .description(
      'recomputes the hash chain of every stream and names the first broken event of each that is broken\n' +
        '(reads the log once; remembers about 300 bytes a stream)',
    )
    .option('--json', 'one JSON object a line: each broken event, then the counts')
    .action((stream: StreamName | undefined, options: Options) =>
      runCommand((config, signal) =>
        withLog(configuredLog(config), ({ log: store }) => verify(store, stream, options, signal)),
      ),
    );
};
