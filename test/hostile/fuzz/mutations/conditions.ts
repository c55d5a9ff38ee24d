import { type Context, type Draft, type Mutation, type Pairs, without } from '../draft.js';
import { anything, invalid, only } from '../expectation.js';
import { documents, isByLink, type Operation, takes } from '../operations.js';

const conditional = (operation: Operation): boolean => takes(operation, 'header', 'If-Match');
const cacheable = (operation: Operation): boolean => documents(operation, 304);
const ranged = (operation: Operation): boolean => takes(operation, 'header', 'Range');

const isRead = ({ operation }: Draft): boolean => operation.method === 'GET';

/** A page that is not there: other than a record, it is looked for before the headers are. */
const isNothing = ({ operation, expects }: Draft): boolean =>
  !operation.template.startsWith('/api/') && expects.statuses?.includes(404) === true;

/** What a tag does not help: there is no file. */
const orNone = ({ operation, record }: Draft): ReadonlyArray<number> =>
  ranged(operation) && record?.fileSize === undefined ? [404] : [];

/** What is asked for beside the instant, which makes way for a condition: a window of events has a tag of its own. */
const windowOf = ({ query }: Draft): Pairs => without(query, 'revision', 'at');

/** The tag of what a request is about; undefined where it is not known, or is to be made. */
const tagOf = (draft: Draft, { state }: Context): string | undefined => {
  const { record, path } = draft;
  if (!isRead(draft) || record?.path === path) return record?.tag;
  return windowOf(draft).length === 0 ? state.tags.get(path) : undefined;
};

/** The newest checkpoint changes whenever something is written. */
const isMoving = ({ operation }: Draft): boolean => operation.id === 'tlogCheckpoint';

const header = (draft: Draft, name: string, value: string): void => {
  draft.query = windowOf(draft);
  draft.headers = [...draft.headers, [name, value]];
};

const staleTags = (tag: string | undefined): ReadonlyArray<string> => [
  ...['"-1"', '"999999"', '"x"', '""', '"\u00ff"', 'W/"0"', '"a", "b" ,, "c"', `"${'x'.repeat(3000)}"`],
  ...(tag === undefined ? [] : [`W/${tag}`, `"0${tag.slice(1)}`]),
];

const MALFORMED = ['x', '', '"', 'W/', '"a" "b"', '*, "a"', "'1'", '"a", b', '0', 'w/"1"', ','];

const malformed =
  (name: string) =>
  (draft: Draft, { random }: Context): void => {
    header(draft, name, random.pick(MALFORMED));
    if (!isNothing(draft)) draft.expects = invalid(name);
  };

/** The same, but that no session knows what a ticket is of: which tag and size that has, or whether it is deleted. */
const ofWhatIsKnown = (mutation: Mutation): Mutation => ({
  ...mutation,
  apply: (draft, context) => {
    mutation.apply(draft, context);
    if (isByLink(draft.operation)) draft.expects = anything;
  },
});

/** `If-Match` and `If-None-Match`. */
const allConditions: ReadonlyArray<Mutation> = [
  {
    name: 'if it is at its newest revision',
    suits: conditional,
    apply: (draft, context) => {
      const tag = tagOf(draft, context);
      if (tag === undefined) return;
      header(draft, 'If-Match', context.random.pick([tag, `"x", ${tag}`, '*', `${tag} , W/"7"`]));
      const others = isMoving(draft) ? [412] : orNone(draft);
      draft.expects = only(...(draft.expects.statuses ?? []).filter((status) => status !== 404), ...others);
    },
  },
  {
    name: 'if it is at another revision',
    weight: 2,
    suits: conditional,
    apply: (draft, context) => {
      header(draft, 'If-Match', context.random.pick(staleTags(tagOf(draft, context))));
      if (!isNothing(draft)) draft.expects = only(412, ...orNone(draft));
    },
  },
  { name: 'if a malformed tag matches', suits: conditional, apply: malformed('If-Match') },
  {
    name: 'unless it is as it was',
    weight: 2,
    suits: (operation) => conditional(operation) || cacheable(operation),
    apply: (draft, context) => {
      const tag = tagOf(draft, context);
      const spelled = tag === undefined ? ['*'] : [tag, `"x",${tag}`, '*'];
      header(draft, 'If-None-Match', context.random.pick(spelled));
      if (draft.record !== undefined) draft.expects = only(isRead(draft) ? 304 : 412, ...orNone(draft));
      else if (isRead(draft) && !isNothing(draft)) draft.expects = isMoving(draft) ? only(200, 304) : only(304);
    },
  },
  {
    name: 'unless it is at another revision',
    suits: (operation) => conditional(operation) || cacheable(operation),
    apply: (draft, { random }) => {
      header(draft, 'If-None-Match', random.pick(['"x"', '"-1", "y"', '"\u00ff"']));
      draft.expects = only(...(draft.expects.statuses ?? []), ...orNone(draft));
    },
  },
  { name: 'unless a malformed tag matches', suits: conditional, apply: malformed('If-None-Match') },
];

const part = (draft: Draft, range: string, ...statuses: ReadonlyArray<number>): void => {
  draft.method = 'GET';
  header(draft, 'Range', range);
  draft.expects = only(...statuses, ...orNone(draft));
};

/** `Range` and `If-Range`. */
const allRanges: ReadonlyArray<Mutation> = [
  {
    name: 'a range of it',
    weight: 2,
    suits: ranged,
    apply: (draft, { random }) => {
      const size = draft.record?.fileSize ?? 0;
      const first = random.int(Math.max(size, 1));
      const spelled = [
        `bytes=${first}-`,
        `bytes=${first}-${first + random.int(size)}`,
        `bytes=-${first + 1}`,
        'Bytes=0-99999999',
      ];
      part(draft, random.pick(spelled), size === 0 ? 416 : 206, ...(size === 0 ? [200] : []));
    },
  },
  {
    name: 'a range beyond it',
    weight: 2,
    suits: ranged,
    apply: (draft, { random }) => {
      const size = draft.record?.fileSize ?? 0;
      part(
        draft,
        random.pick([`bytes=${size}-`, `bytes=${size + 5}-${size + 9}`, 'bytes=-0', `bytes=${'9'.repeat(30)}-`]),
        416,
      );
    },
  },
  {
    name: 'a range that is none',
    suits: ranged,
    apply: (draft, { random }) => {
      const odd = [
        '',
        'bytes',
        'bytes=',
        'bytes=a-b',
        'bytes=5-1',
        'bytes=0-1,3-4',
        'lines=0-1',
        'bytes=-',
        'bytes=--1',
        '0-1',
      ];
      part(draft, random.pick([...odd, `bytes=${'0-0,'.repeat(1000)}`]), 200);
    },
  },
  {
    name: 'a range of another file',
    suits: ranged,
    apply: (draft, { random }) => {
      part(draft, 'bytes=0-0', 200);
      header(draft, 'If-Range', random.pick(['"x"', 'W/"x"', 'Thu, 01 Jan 1970 00:00:00 GMT', '', '*']));
    },
  },
];

export const conditions = allConditions.map(ofWhatIsKnown);

export const ranges = allRanges.map(ofWhatIsKnown);
