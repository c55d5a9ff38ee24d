import type { PlantedFault } from '../planted-fault.js';

const DECIDE = 'src/event-sourcing/command/decide.ts';
const HANDLE = 'src/event-sourcing/command/handle-command.ts';
const REPOSITORY = 'src/event-sourcing/command/repository.ts';
const REPLAY = 'src/event-sourcing/command/replay-command.ts';
const EXECUTE = 'src/application/execute.ts';
const SWEEP = 'src/application/document/sweep-files.ts';

/** Of how commands are carried out and answered. */
export const faultsOfCommands: ReadonlyArray<PlantedFault> = [
  {
    name: 'earlier-run-not-looked-for',
    harm: 'a command that is repeated with its key is decided once more on what it has left behind',
    edits: [
      {
        file: HANDLE,
        is: 'const earlier = await findCommand(handler, call, loaded.right);',
        becomes: 'const earlier: Awaited<ReturnType<typeof findCommand>> = E.right(undefined);',
      },
    ],
  },
  {
    name: 'conflict-not-read-on',
    harm: 'a command whose fold was outdated is tried with that fold again and again, and never carried out',
    edits: [
      {
        file: HANDLE,
        is: 'loaded = await readOn(handler, call, folded, until, isCompared);',
        becomes: 'loaded = E.right({ folded, own: undefined, isJustRead: true, until });',
      },
    ],
  },
  {
    name: 'conflict-appended-over',
    harm: 'a command that meets the events of another one is appended behind them without being decided on them',
    edits: [
      {
        file: REPOSITORY,
        is: 'const appended = await store.append(call.stream, folded.revision, sealed, until);',
        becomes: `let appended = await store.append(call.stream, folded.revision, sealed, until);
  if (E.isLeft(appended) && appended.left._tag === 'RevisionConflict')
    appended = await store.append(call.stream, appended.left.actual, sealed, until);`,
      },
    ],
  },
  {
    name: 'rejected-by-a-fold-that-is-behind',
    harm: 'a command is refused, or said to change nothing, because of what the record was before another process changed it',
    edits: [{ file: HANDLE, is: '} else if (isJustRead) {', becomes: '} else {' }],
  },
  {
    name: 'if-match-not-compared',
    harm: 'of two clients that have read the same revision, both change it',
    edits: [
      { file: DECIDE, is: 'const isMatch = precondition?.(revision) ?? true;', becomes: 'const isMatch = true;' },
      {
        file: DECIDE,
        is: "{ command, precondition }: Pick<CommandCall<Command>, 'command' | 'precondition'>",
        becomes: "{ command }: Pick<CommandCall<Command>, 'command' | 'precondition'>",
      },
    ],
  },
  {
    name: 'first-keyed-command-not-in-the-snapshot',
    harm: 'a row says that its stream has no keyed command, so that one may run twice after a restart',
    edits: [
      {
        file: REPOSITORY,
        is: 'hasKeyedCommands: keyed.isAny || isKeyed(commandId)',
        becomes: 'hasKeyedCommands: keyed.isAny',
      },
    ],
  },
  {
    name: 'keys-missing-from-a-snapshot-not-read',
    harm: 'a keyed command is decided on a row, which does not say which keys came before',
    edits: [
      {
        file: REPOSITORY,
        is: 'if (snapshot === undefined || (needsKeys && snapshot.hasKeyedCommands)) return loadAnew(repository, call, until);',
        becomes: 'if (snapshot === undefined) return loadAnew(repository, call, until);',
      },
      {
        file: REPOSITORY,
        is: 'return needsKeys && !cached.keyed.isComplete ? loadAnew(repository, call, until) : notRead(cached, until);',
        becomes: 'return notRead(cached, until);',
      },
    ],
  },
  {
    name: 'forgotten-key-not-searched-for',
    harm: 'a keyed command runs again when so many others came since that the fold no longer remembers it',
    given: [
      {
        file: 'src/event-sourcing/command/keyed-commands.ts',
        is: 'const REMEMBERED = 1024;',
        becomes: 'const REMEMBERED = 2;',
      },
    ],
    edits: [
      {
        file: REPLAY,
        is: 'return findInStream(repository, stream, commandId, known.before, until);',
        becomes: 'return E.right(undefined);',
      },
    ],
  },
  {
    name: 'key-of-another-request-accepted',
    harm: 'a request with a key that came with another one is answered by what that one did',
    edits: [
      {
        file: REPLAY,
        is: 'if (last === undefined || !isSameRequest(last, envelope)) return',
        becomes: 'if (last === undefined) return',
      },
    ],
  },
  {
    name: 'repeat-answered-by-what-is-now',
    harm: 'a repeated command is answered by the record as others have changed it since',
    edits: [
      {
        file: REPLAY,
        is: "const range = { direction: 'forwards', limit: Number(revision) + 1, until } as const;",
        becomes: "const range = { direction: 'forwards', until } as const;",
      },
    ],
  },
  {
    name: 'method-not-in-the-scope-of-a-key',
    harm: 'a PUT and a DELETE with one key are one command',
    edits: [
      {
        file: 'src/http/request/command-context-of.ts',
        is: 'return `${ctx.method} ${path}`;',
        becomes: 'return path;',
      },
    ],
  },
  {
    name: 'chain-goes-on-from-an-older-event',
    harm: 'an event names another one than that before it as the event before it',
    edits: [
      {
        file: REPOSITORY,
        is: 'creationPosition, lastHash: last.hash, ...times, keyed });',
        becomes: 'creationPosition, lastHash: folded.lastHash, ...times, keyed });',
      },
    ],
  },
  {
    name: 'new-events-not-sealed',
    harm: 'events have no mac, so that whoever writes into the database can make such ones',
    edits: [
      {
        file: REPOSITORY,
        is: 'seal(fact, newSalt(random), eventKey)',
        becomes: 'seal(fact, newSalt(random), undefined)',
      },
    ],
  },
  {
    name: 'time-of-a-stream-goes-back',
    harm: 'a record as it was at a time lacks events of that time, after a clock was set back',
    edits: [{ file: REPOSITORY, is: 'return at > lastAt ? at : lastAt;', becomes: 'return at;' }],
  },
  {
    name: 'etag-one-behind',
    harm: 'a client that changes what it was just given is told that others have changed it',
    edits: [
      {
        file: 'src/http/record/command-response.ts',
        is: 'const tag = tagOfExpected(revision);',
        becomes: "const tag = tagOfExpected(revision === 'no-stream' || revision === 0n ? revision : revision - 1n);",
      },
    ],
  },
  {
    name: 'row-not-waited-for',
    harm: 'a change is answered as shown by lists while it is not',
    edits: [
      {
        file: EXECUTE,
        is: 'position === undefined || (await progress.waitFor(position, until));',
        becomes: 'true;',
      },
    ],
  },
  {
    name: 'change-acknowledged-before-others-can-know',
    harm: 'an answer says that lists lack a change, before the other processes have stopped counting on rows that lack it',
    edits: [
      {
        file: EXECUTE,
        is: 'if (!projected && clock.monotonic() - appendedAt < progress.heldMs) return tooLate;',
        becomes: '',
      },
      {
        file: 'projections/engine/run/progress.ts',
        is: 'endAfter(began + Math.min(heldMs, left) - clock.monotonic(), () => finish(false));',
        becomes: 'endAfter(0, () => finish(false));',
      },
    ],
  },
  {
    name: 'file-removed-while-its-event-may-be-stored',
    harm: 'a file is removed of which an event is in the log, because the append was not answered',
    edits: [{ file: 'src/application/document/with-upload.ts', is: "  'StoreUnavailable',\n", becomes: '' }],
  },
  {
    name: 'file-in-flight-swept',
    harm: 'a sweep removes a file whose event is just being appended',
    given: [
      {
        file: 'src/application/document/start-sweeping.ts',
        is: 'const INTERVALS: Intervals = { first: 60_000, every: 24 * 3_600_000 };',
        becomes: 'const INTERVALS: Intervals = { first: 2_000, every: 200 };',
      },
    ],
    edits: [
      {
        file: SWEEP,
        is: 'Math.max(olderThan, 2 * LONGEST_UPLOAD));',
        becomes: '0);',
      },
    ],
  },
  {
    name: 'file-of-an-earlier-version-swept',
    harm: 'a sweep removes the file that a document had before it was replaced',
    given: [
      {
        file: 'src/application/document/start-sweeping.ts',
        is: 'const INTERVALS: Intervals = { first: 60_000, every: 24 * 3_600_000 };',
        becomes: 'const INTERVALS: Intervals = { first: 2_000, every: 1_000 };',
      },
      { file: SWEEP, is: 'Math.max(olderThan, 2 * LONGEST_UPLOAD));', becomes: 'Math.min(olderThan, 15_000));' },
    ],
    edits: [
      {
        file: 'src/application/document/unnamed-files.ts',
        is: 'if (named !== undefined) unnamed.delete(named);',
        becomes: `if (named !== undefined) {
        for (const key of keys) unnamed.add(key);
        unnamed.delete(named);
      }`,
      },
      { file: 'src/application/document/unnamed-files.ts', is: 'return unnamed.size > 0;', becomes: 'return true;' },
    ],
  },
];
