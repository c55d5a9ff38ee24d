import { either as E, option as O } from 'fp-ts';
import type * as t from 'io-ts';
import type { CommandContext } from '../../application/command-context.js';
import type { Outcome } from '../../application/execute.js';
import type { Foresee } from '../../application/foresee.js';
import type { Undo, Wanted } from '../../application/undo.js';
import type { CommandFailure } from '../../event-sourcing/command/command-call.js';
import type { AdmitPage } from '../../read/admit-page.js';
import type { EarlierState, EntityReads } from '../../read/entity-reads.js';
import type { Comparison } from '../../read/event-diffs.js';
import type { Failure } from '../problem/failure.js';
import { both } from '../request/both.js';
import { commandContextOf } from '../request/command-context-of.js';
import { decodeRequest } from '../request/decode.js';
import { readCommand } from '../request/read-command.js';
import type { AuthorizedContext } from '../request-context.js';
import type { HttpResponse } from '../response/http-response.js';
import { previewResponse, type Stays } from './change-preview.js';
import { recordResponse } from './command-response.js';
import { pageAdmission } from './page-admission.js';
import { recordId } from './record-id.js';
import { stateAbsent } from './state-absent.js';
import { readPreview } from './undo-request.js';

/** How what was done to a kind of record is undone, and shown. */
export type Undoing<State, Command, Rejection> = {
  readonly undo: (
    context: CommandContext,
    id: string,
    undo: Undo<Command>,
    until?: number,
  ) => Promise<E.Either<Rejection | CommandFailure, Outcome<State>>>;
  readonly foresee: Foresee<State, Command, Rejection>;
  readonly comparison: Comparison<State>;
  readonly render: (id: string, outcome: Outcome<State>) => string | undefined;
};

/** One thing that a request undoes. */
type Step<State, Command> = {
  /** Of the request: it acquires one history, however many states it folds. */
  readonly admitPage: AdmitPage;
  readonly context: CommandContext;
  readonly id: string;
  readonly isPreview: boolean;
  /** When the answer is due, where a part of its time is over. */
  readonly until?: number | undefined;
  readonly undo: Undo<Command>;
  /** That it goes back to; null: it is a restore. */
  readonly revision: number | null;
  /** What it leaves as it is now, though it was otherwise then. */
  readonly staying: (now: State) => ReadonlyArray<Stays>;
};

/** Does it and answers the record, or answers what would change. */
const respond = async <State, Command, Rejection>(
  { undo, foresee, comparison, render }: Undoing<State, Command, Rejection>,
  { admitPage, context, id, isPreview, until, revision, staying, ...step }: Step<State, Command>,
): Promise<E.Either<Failure | Rejection, HttpResponse>> => {
  if (!isPreview) return recordResponse(id, await undo(context, id, step.undo, until), render);
  const foreseen = await foresee(context, id, step.undo.command, admitPage, until);
  if (E.isLeft(foreseen)) return foreseen;
  return E.right(previewResponse(id, foreseen.right, comparison, revision, staying(foreseen.right.before)));
};

/** Makes a deleted record what it was. */
export const restoreRecord =
  <State, Command, Rejection>(undoing: Undoing<State, Command, Rejection>, undo: Undo<Command>) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | Rejection, HttpResponse>> => {
    const read = both(commandContextOf(request), readPreview(request.query));
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, isPreview] = read.right;
    return respond(undoing, {
      ...{ admitPage: pageAdmission(request), context, id: id.right, isPreview, undo },
      revision: null,
      staying: () => [],
    });
  };

type Reverting<State, Then extends State, Command, Field extends string> = Pick<
  EntityReads<never>,
  'newestRevision'
> & {
  readonly earlier: EarlierState<State>;
  readonly body: t.Type<{ readonly revision: number; readonly fields?: ReadonlyArray<Field> }>;
  /** Whether there was a record then. */
  readonly isRecord: (then: State) => then is Then;
  /** Why it cannot go back, for another reason than that; else whether that took time which no answer is due for. Default: it can. */
  readonly admit?: (
    request: AuthorizedContext,
    id: string,
    wanted: Wanted<Field>,
    then: Then,
  ) => Promise<E.Either<Failure, boolean>>;
  readonly revertTo: (wanted: Wanted<Field>, then: Then) => Undo<Command>;
  /** What it leaves as it is `now`. Default: nothing. */
  readonly staying?: (wanted: Wanted<Field>, then: Then, now: State) => ReadonlyArray<Stays>;
};

/** Gives a record back what it was at a revision, by one event. What it was is read before the command, outside of its queue. */
export const revertRecord =
  <State, Then extends State, Command, Rejection extends { readonly _tag: string }, Field extends string>(
    undoing: Undoing<State, Command, Rejection>,
    { earlier, body, isRecord, admit, revertTo, staying, newestRevision }: Reverting<State, Then, Command, Field>,
  ) =>
  async (request: AuthorizedContext): Promise<E.Either<Failure | Rejection, HttpResponse>> => {
    const read = await readCommand(request, (sent) => both(readPreview(request.query), decodeRequest(body)(sent)));
    if (E.isLeft(read)) return read;
    const id = recordId(request.params['id']);
    if (E.isLeft(id)) return id;
    const [context, [isPreview, wanted]] = read.right;
    const revision = BigInt(wanted.revision);
    const admitPage = pageAdmission(request);
    const found = await earlier(id.right, revision, admitPage);
    if (E.isLeft(found)) return found;
    const { until } = found.right;
    const then = O.isSome(found.right.then) ? found.right.then.value.state : undefined;
    if (then === undefined || !isRecord(then))
      return stateAbsent({ newestRevision }, id.right, { _tag: 'AtRevision', revision });
    const step = {
      ...{ admitPage, context, id: id.right, isPreview, until },
      undo: revertTo(wanted, then),
      revision: wanted.revision,
      staying: (now: State) => staying?.(wanted, then, now) ?? [],
    };
    const admitted = await admit?.(request, id.right, wanted, then);
    if (admitted === undefined) return respond(undoing, step);
    if (E.isRight(admitted)) return respond(undoing, admitted.right ? { ...step, until: undefined } : step);
    if (isPreview || context.idempotencyKey === undefined) return admitted;
    // what was done before is answered as it was then; a command that is to be done now fails for its precondition
    const never = { ...context, precondition: () => false };
    const repeated = await respond(undoing, { ...step, until: undefined, context: never });
    return E.isLeft(repeated) && repeated.left._tag === 'PreconditionFailed' ? admitted : repeated;
  };
