import type { Listed, Row } from '../checks/lists.js';
import type { State } from '../checks/states.js';
import { isLucky, oneOf } from '../chance.js';
import { askAny, type Asked, type Client } from './client.js';
import { WORDS } from './on-businesses.js';
import { USERS } from './users.js';
import { PATHS } from './reading.js';
import type { Kind } from './told.js';

type List = {
  readonly query: Readonly<Record<string, string>>;
  readonly selects: (state: State) => boolean;
  /** In the order of what may change meanwhile. */
  readonly isByName?: boolean;
};

/** How many pages of a list are read. */
const MOST_PAGES = 4;
/** How many records a page has at most. */
const LIMITS = [3, 8, 20];

const WHOLE: List = { query: {}, selects: () => true };

/** The ways in which lists are asked for. */
const aList = (client: Client, kind: Kind): List => {
  const [word = '', user = ''] = [oneOf(client, WORDS), oneOf(client, USERS)];
  const ways: ReadonlyArray<List> = [
    { ...WHOLE, query: { sort: '-created' } },
    { ...WHOLE, query: { sort: 'name' }, isByName: true },
    { query: { q: word }, selects: ({ name }) => name.split(' ').includes(word) },
    { query: { owner: user }, selects: ({ owners }) => owners[user] !== undefined },
  ];
  return isLucky(client, 0.4) ? WHOLE : (oneOf(client, kind === 'Business' ? ways : ways.slice(0, 3)) ?? WHOLE);
};

// reason: what the API answers to a list
const rowsIn = ({ answer: { text } }: Asked) => JSON.parse(text) as ReadonlyArray<Row>;

/** The query of the next page; undefined behind the last one. */
const nextIn = ({ answer: { headers } }: Asked): string | undefined =>
  /<([^>]*)>; rel="next"/.exec([headers['link'] ?? ''].flat().join())?.[1];

const isOld = ({ answer: { headers } }: Asked): boolean => headers['x-projected-until'] !== undefined;

/** Reads a list, in pages where a limit is given. */
const readList = async (
  client: Client,
  kind: Kind,
  { query, selects, isByName = false }: List,
  limit: number | undefined,
): Promise<Listed | undefined> => {
  const { notes } = client;
  const asked = new URLSearchParams({ ...query, ...(limit === undefined ? {} : { limit: String(limit) }) });
  const first = `${PATHS[kind]}?${asked.toString()}`;
  const pages: Array<Asked> = [];
  let path: string | undefined = first;
  while (path !== undefined && pages.length < MOST_PAGES) {
    const page = await askAny(client, { method: 'GET', path });
    if (page?.answer.status !== 200) {
      if (page !== undefined) notes.breaks(`GET ${path} was answered ${page.answer.status} ${page.answer.text}`);
      return undefined;
    }
    pages.push(page);
    if (isOld(page)) notes.count('a list may lack what came last');
    if (rowsIn(page).length > (limit ?? Infinity)) notes.breaks(`GET ${path} has more than its limit`);
    const next = nextIn(page);
    if (next !== undefined) notes.count('a list has a next page');
    path = next === undefined ? undefined : `${PATHS[kind]}${next}`;
  }
  const [begin, end] = [pages[0], pages.at(-1)];
  if (begin === undefined || end === undefined) return undefined;
  return {
    kind,
    where: `GET ${first}`,
    process: begin.process,
    began: begin.began,
    ended: end.ended,
    of: pages.some(isOld) ? 'Old' : 'List',
    rows: pages.flatMap((page) => rowsIn(page).map((row) => ({ ...page, row }))),
    mayRepeat: isByName,
    isWhole: path === undefined && (pages.length === 1 || !isByName),
    selects,
  };
};

/** Reads a list in one of the ways, whole or page by page. */
export const list = async (client: Client): Promise<void> => {
  const kind = isLucky(client, 0.8) ? 'Business' : 'Document';
  const way = aList(client, kind);
  const listed = await readList(client, kind, way, isLucky(client, 0.5) ? undefined : oneOf(client, LIMITS));
  if (listed !== undefined) client.told.lists.push(listed);
};

/** Reads all records of a kind. */
export const listAll = (client: Client, kind: Kind): Promise<Listed | undefined> =>
  readList(client, kind, WHOLE, undefined);
