import type { Command } from 'commander';
import { either as E } from 'fp-ts';
import type { EventKeys } from '../../event-sourcing/event-key.js';
import type { EventStore } from '../../event-sourcing/event-store.js';
import type { BrokenLink } from '../../event-sourcing/hash-chain.js';
import type { StreamName } from '../../event-sourcing/recorded-event.js';
import type { MacFault } from '../../event-sourcing/whole-log/mac-verifier.js';
import { type Verified, type Verifying, verifyLog, verifyStream } from '../../event-sourcing/whole-log/verify-log.js';
import type { Registry } from '../../entities/registry.js';
import { sharedEventKeys } from '../../infrastructure/event-keys.js';
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

const MAC_FAULTS: Readonly<Record<MacFault['_tag'], string>> = {
  MacMismatch: 'mac does not fit',
  UnknownKey: 'mac is of an unknown key',
  MacMissing: 'mac is missing',
};

const reportMacFault = ({ _tag, event }: MacFault, options: JsonOption): void => {
  const { stream, id } = event;
  const revision = event.revision.toString();
  const reason = MAC_FAULTS[_tag];
  printFinding(options, `suspect: ${stream}, revision ${revision}, event ${id}: ${reason}`, {
    stream,
    revision,
    id,
    reason,
  });
};

const describeMacs = ({ withMac, macFaults }: Verified, areChecked: boolean): string => {
  const have = `${counted(withMac, 'event')} with a mac`;
  const checked = areChecked ? '' : ', not checked: no key is set (EVENT_KEY_FILE)';
  return macFaults === 0 ? `${have}${checked}` : `${have}${checked}; ${counted(macFaults, 'event')} suspect`;
};

const reportCounts = (verified: Verified, macsChecked: boolean, options: JsonOption): void => {
  const { events, streams, broken, withMac, macFaults } = verified;
  const found = broken === 0 ? 'every chain intact' : `${counted(broken, 'stream')} broken`;
  const text = `${counted(events, 'event')} in ${counted(streams, 'stream')}, ${found}; ${describeMacs(verified, macsChecked)}`;
  printFinding(options, text, { events, streams, broken, withMac, macFaults, macsChecked });
};

const conclude = (
  registry: Registry,
  verified: Verified,
  keys: EventKeys,
  stream: StreamName | undefined,
  options: JsonOption,
): ExitCode => {
  if (!verified.isComplete) return interrupted(counted(verified.events, 'event'));
  if (stream !== undefined && verified.events === 0)
    return failed(`the log has no stream ${stream} (those of the service are named ${streamsIn(registry)})`);
  reportCounts(verified, keys.length > 0, options);
  return verified.broken === 0 && verified.macFaults === 0 ? EXIT.ok : EXIT.failed;
};

const verify = async (
  registry: Registry,
  store: EventStore,
  keys: EventKeys,
  stream: StreamName | undefined,
  options: JsonOption,
  signal: AbortSignal,
): Promise<ExitCode> => {
  const progress = makeProgress('verifying');
  const share = stream === undefined ? await shareOfLog(store) : () => undefined;
  const verifying: Verifying = {
    keys,
    onBroken: (link) => {
      progress.end();
      reportBroken(link, options);
    },
    onMacFault: (fault) => {
      progress.end();
      reportMacFault(fault, options);
    },
    onPage: (events, reached) => progress.report(events, share(reached)),
    signal,
  };
  const verified =
    stream === undefined ? await verifyLog(store, verifying) : await verifyStream(store, stream, verifying);
  progress.end();
  return conclude(registry, verified, keys, stream, options);
};

export const addVerify = (log: Command, registry: Registry): void => {
  log
    .command('verify')
    .argument('[stream]', `only this stream: ${streamsIn(registry)}`, streamArgument)
    .description(
      'recomputes the hash chain of every stream and names the first broken event of each that is broken,\n' +
        'and each event whose mac is missing, does not fit or is of an unknown key\n' +
        '(reads the log once; remembers about 300 bytes a stream)',
    )
    .addOption(jsonOption('one JSON object a line: each broken and each suspect event, then the counts'))
    .action((stream: StreamName | undefined, options: JsonOption) =>
      onConfiguredLog(registry, async (store, signal, config) => {
        const keys = await sharedEventKeys(config);
        if (E.isLeft(keys)) return failed(keys.left.message);
        return verify(registry, store, keys.right, stream, options, signal);
      }),
    );
};
