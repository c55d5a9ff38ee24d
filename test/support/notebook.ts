import { either as E } from 'fp-ts';
import * as t from 'io-ts';
import type { Decider } from '../../src/event-sourcing/decider.js';
import { makeSerde } from '../../src/event-sourcing/serde.js';

// A made-up entity, small enough to see the kernel through: a notebook that is opened, written into and closed.
const NotebookEvent = t.union([
  t.type({ type: t.literal('NotebookOpened'), data: t.type({}) }),
  t.type({ type: t.literal('NoteTaken'), data: t.type({ text: t.string }) }),
  t.type({ type: t.literal('NotebookClosed'), data: t.type({}) }),
]);
export type NotebookEvent = t.TypeOf<typeof NotebookEvent>;

export type Notebook = { readonly isOpen: boolean; readonly notes: ReadonlyArray<string>; readonly lastAt: string };

export type NotebookCommand =
  | { readonly _tag: 'Open' }
  /** One event for each text that the notebook does not hold yet. */
  | { readonly _tag: 'Take'; readonly texts: ReadonlyArray<string> }
  | { readonly _tag: 'Close' };

export type NotebookRefusal =
  { readonly _tag: 'NotOpen' } | { readonly _tag: 'AlreadyOpen' } | { readonly _tag: 'Empty' };

const take = (texts: ReadonlyArray<string>, { notes }: Notebook): ReadonlyArray<NotebookEvent> =>
  texts.filter((text) => !notes.includes(text)).map((text) => ({ type: 'NoteTaken', data: { text } }));

const decide =
  (command: NotebookCommand) =>
  (notebook: Notebook): E.Either<NotebookRefusal, ReadonlyArray<NotebookEvent>> => {
    if (command._tag === 'Open')
      return notebook.isOpen ? E.left({ _tag: 'AlreadyOpen' }) : E.right([{ type: 'NotebookOpened', data: {} }]);
    if (!notebook.isOpen) return E.left({ _tag: 'NotOpen' });
    if (command._tag === 'Take') return E.right(take(command.texts, notebook));
    return notebook.notes.length === 0 ? E.left({ _tag: 'Empty' }) : E.right([{ type: 'NotebookClosed', data: {} }]);
  };

export const notebookDecider: Decider<Notebook, NotebookCommand, NotebookEvent, NotebookRefusal> = {
  initialState: { isOpen: false, notes: [], lastAt: '' },
  decide,
  evolve: (notebook, event, { at }) => ({
    isOpen: event.type !== 'NotebookClosed',
    notes: event.type === 'NoteTaken' ? [...notebook.notes, event.data.text] : notebook.notes,
    lastAt: at,
  }),
  isAbsence: ({ _tag }) => _tag === 'NotOpen',
};

export const notebookSerde = makeSerde<NotebookEvent>(NotebookEvent, {});
