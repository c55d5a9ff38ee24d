import type { Json, JsonObject } from '../../src/event-sourcing/canonical-json.js';
import { fileData } from './bad-packs.js';

const file = fileData({});
const uploaded = { by: 'alice', at: '2026-01-02T03:04:05.678Z' };

/** Other than that of a revision. */
const ODD_REVISIONS: ReadonlyArray<Json> = ['3', '', null, true, false, [3], { a: 3 }, -1, 0.5, 2 ** 53, 1e300];
/** Other than an object that has names. */
const ODD_CHANGES: ReadonlyArray<Json> = [null, {}, [], ['name'], 'name', 7, true];
/** Neither a file nor null, which says that there was none. */
const ODD_FILES: ReadonlyArray<Json> = [7, 0, 'a file', '', [], [null], true, false];

const reverted = ['BusinessReverted', 'DocumentReverted'] as const;
const undone = ['BusinessRestored', 'DocumentDeleted', 'DocumentRestored'] as const;

/** Whose order differs by code points, by UTF-16 and by when they were written; and which objects have of their own. */
const NAMES: JsonObject = { '\u{1f600}': 1, '\ufb01': 2, é: null, toString: 'a', ['__proto__']: 'b', constructor: [] };

/**
 * Events that delete, restore and revert, as the service writes them and with data of any shape, and what `report.html` says
 * that each of them did.
 */
export const undoneFacts: ReadonlyArray<readonly [type: string, data: Json, words: string]> = [
  ['BusinessRestored', {}, 'business restored'],
  ['DocumentDeleted', {}, 'document deleted'],
  ['DocumentRestored', {}, 'document restored'],
  ['BusinessReverted', { to: 3, changes: { website: 'w', phone: null } }, 'phone and website reverted to revision 3'],
  ['BusinessReverted', { to: 0, changes: { parent: 'b' }, previousParent: null }, 'parent reverted to revision 0'],
  ['DocumentReverted', { to: 3, changes: { name: 'a' }, ...file, uploaded }, 'file and name reverted to revision 3'],
  [
    'DocumentReverted',
    { to: 12, changes: { tags: [], description: 'd' }, file: null, uploaded: null },
    'file, description and tags reverted to revision 12',
  ],
  ['DocumentReverted', { to: 1, changes: {}, ...file }, 'file reverted to revision 1'],
  ['DocumentReverted', { to: 1, changes: {}, file: null }, 'file reverted to revision 1'],
  [
    'DocumentReverted',
    { to: 2 ** 53 - 1, changes: { entity: 'e' }, attachedTo: { entity: 'e', entityType: 'Lead' } },
    'entity reverted to revision 9007199254740991',
  ],
  ...undone.flatMap((type) => [null, [], 'a', 7].map((data) => [type, data, type] as const)),
  ['BusinessRestored', { to: 3, changes: { name: 'a' }, user: 'bob' }, 'business restored'],
  ['DocumentDeleted', { to: 3, changes: { name: 'a' }, ...file }, 'document deleted'],
  ['DocumentRestored', { to: 3, changes: { name: 'a' }, ...file }, 'document restored'],
  ...reverted.flatMap((type) => [
    ...[null, [], 'a', 7, {}, { to: 3 }, { changes: { name: 'a' } }].map((data) => [type, data, type] as const),
    ...ODD_REVISIONS.map((to) => [type, { to, changes: { name: 'a' }, ...file }, type] as const),
    ...ODD_CHANGES.map((changes) => [type, { to: 3, changes }, type] as const),
    ...ODD_FILES.map(
      (odd) => [type, { to: 3, changes: { name: odd }, file: odd }, 'name reverted to revision 3'] as const,
    ),
    [
      type,
      { to: 3, changes: NAMES, $reason: 'as it was' },
      '__proto__, constructor, toString, é, \u{1f600} and \ufb01 reverted to revision 3',
    ] as const,
  ]),
  ...ODD_CHANGES.map(
    (changes) => ['DocumentReverted', { to: 3, changes, file: null }, 'file reverted to revision 3'] as const,
  ),
  ['BusinessReverted', { to: 3, changes: { name: 'a' }, ...file }, 'name reverted to revision 3'],
  ['BusinessOwnerReverted', { to: 3, user: 'bob', changes: { title: 'a' } }, 'BusinessOwnerReverted'],
  ['SomethingReverted', { to: 3, changes: { name: 'a' }, file: null }, 'SomethingReverted'],
  ['businessRestored', {}, 'businessRestored'],
];
