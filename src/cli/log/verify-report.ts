import type { Verified } from '../../event-sourcing/whole-log/verify-log.js';
import type { LogChecks, Unchecked } from '../../infrastructure/verification/log-checks.js';
import { type JsonOption, printFinding, printLine, printNote } from '../output.js';
import { keyChangeMembers } from '../../sealing/key-change.js';
import { counted } from '../plural.js';
import type { makeFaultPrinter } from './log-fault-lines.js';

type FaultPrinter = Pick<ReturnType<typeof makeFaultPrinter>, 'counts' | 'unnamed'>;

export const isUnread = (one: Unchecked): boolean => one.isUnread;

/** What the first line says behind the chains: how many events have no mac, or no data any more. */
const describeEvents = (
  { events, withMac, macFaults, withoutData, erased, erasures }: Verified,
  areChecked: boolean,
): string => {
  const without = events === withMac ? '' : `, ${events - withMac} without`;
  const checked = areChecked ? '' : ', not checked: no key is set (EVENT_KEY_FILE)';
  return [
    `${counted(withMac, 'event')} with a mac${without}${checked}`,
    ...(macFaults === 0 ? [] : [`${counted(macFaults, 'event')} suspect`]),
    ...(erased + erasures === 0
      ? []
      : [`${counted(erased, 'event')} erased, by ${counted(erasures, 'recorded erasure')}`]),
    ...(withoutData === erased ? [] : [`${counted(withoutData - erased, 'event')} without data`]),
  ].join('; ');
};

/** What an operator may have to record, so that the log says all that it can. */
const describeDecisions = ({ unsealedDecisions }: Verified, faults: FaultPrinter): ReadonlyArray<string> => {
  const isMacMissing = faults.counts().some(({ kind }) => kind === 'mac-missing');
  return [
    ...(isMacMissing
      ? [
          'events from before the event key was set have no mac: once, `ops log require-mac` records in the tree that they are right',
        ]
      : []),
    ...(unsealedDecisions === 0
      ? []
      : [
          `${counted(unsealedDecisions, 'decision')} of operators outside of the tree, where they can be removed unseen: \`ops log seal-decisions\` records them in it again`,
        ]),
  ];
};

const describeChecks = ({ ledger, checkpoints, putElsewhere, sealed, unchecked }: LogChecks): ReadonlyArray<string> => {
  const lines: Array<string> = [];
  if (ledger !== undefined) {
    const { compared, notYet } = ledger();
    const waiting = notYet === 0 ? '' : `; it does not have ${counted(notYet, 'event')} yet`;
    lines.push(`ledger: ${counted(compared, 'event')} compared with rows and tiles${waiting}`);
  }
  if (checkpoints !== undefined) {
    const { fitting, differing, beforePostgres, earlier } = checkpoints();
    const none = Object.keys(earlier).length === 0 ? 'none is kept' : 'none of this origin is kept';
    const all = fitting === 0 ? none : 'all fit';
    lines.push(
      `checkpoints: ${differing === 0 ? all : `${counted(fitting, 'fits', 'fit')}, ${counted(differing, 'does', 'do')} not`}`,
    );
    if (beforePostgres > 0)
      lines.push(
        `checkpoints that the file storage alone has: ${beforePostgres}; Postgres was restored after them, or they were removed there`,
      );
    if (putElsewhere > 0)
      lines.push(
        `checkpoints that were put into another file storage: ${putElsewhere}; not looked for in the one of the settings`,
      );
    for (const [origin, { inPostgres, inStorage, largest }] of Object.entries(earlier))
      lines.push(
        `checkpoints of ${origin}, an earlier origin: ${inPostgres} in Postgres, ${inStorage} in the file storage, up to ${counted(largest, 'event')}; not compared, because the seal was restarted after them`,
      );
  }
  for (const { origin, replaced, reason, actor, at } of sealed.restarts)
    lines.push(`seal restarted at ${at} by ${actor}: ${origin} in place of ${replaced}, because: ${reason}`);
  for (const { key, replaced, size, reason, actor, at } of sealed.keyChanges.map(keyChangeMembers))
    lines.push(
      `key of the checkpoints replaced at ${at} by ${actor}, after ${counted(size, 'event')}: ${key} in place of ${replaced}, because: ${reason}`,
    );
  return [
    ...lines,
    ...unchecked.map(({ what, isUnread }) => `${isUnread ? 'could not be read' : 'not checked'}: ${what}`),
  ];
};

const namesOf = (unchecked: ReadonlyArray<Unchecked>): ReadonlyArray<string> => unchecked.map(({ what }) => what);

/** Prints the counts of a verification, and what was compared beside them: a line each for a person, one object for a machine. */
export const reportVerified = (
  verified: Verified,
  macsChecked: boolean,
  checks: LogChecks,
  faults: FaultPrinter,
  options: JsonOption,
  guardsLifted: ReadonlyArray<string> = [],
): void => {
  const { events, streams, broken, withMac, macFaults, withoutData, erased, erasures, unsealedDecisions } = verified;
  const { ledger, checkpoints, putElsewhere, sealed, unchecked } = checks;
  const found = broken === 0 ? 'every chain intact' : `${counted(broken, 'stream')} broken`;
  const text = `${counted(events, 'event')} in ${counted(streams, 'stream')}, ${found}; ${describeEvents(verified, macsChecked)}`;
  const { earlier = {}, ...fits } = checkpoints?.() ?? {};
  const earlierOrigins = Object.entries(earlier).map(([origin, counts]) => ({ origin, ...counts }));
  const compared = {
    ledger: ledger?.() ?? null,
    checkpoints: checkpoints === undefined ? null : { ...fits, putElsewhere, earlierOrigins },
  };
  const counts = {
    events,
    streams,
    broken,
    withMac,
    withoutMac: events - withMac,
    macFaults,
    macsChecked,
    withoutData,
    erased,
    erasures,
  };
  printFinding(options, text, {
    ...counts,
    ...compared,
    unsealedDecisions,
    restarts: sealed.restarts,
    keyChanges: sealed.keyChanges.map(keyChangeMembers),
    faults: faults.counts(),
    unchecked: namesOf(unchecked),
    unread: namesOf(unchecked.filter(isUnread)),
    guardsLifted,
  });
  // not what was found in the log, but what can happen to it
  for (const guard of guardsLifted)
    printNote(
      `the guard of the history is lifted, ${guard}: whoever may write there can change or remove what is kept`,
    );
  if (options.json === true) return;
  for (const line of [...faults.unnamed(), ...describeDecisions(verified, faults), ...describeChecks(checks)])
    printLine(line);
};
