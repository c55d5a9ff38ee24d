import type { PlantedFault } from '../planted-fault.js';

const UNDO = 'src/http/record/undo.ts';
const BUSINESS = 'src/domain/business/state.ts';
const DOCUMENT = 'src/domain/document/state.ts';

/** Of how what was done is undone. */
export const faultsOfUndoing: ReadonlyArray<PlantedFault> = [
  {
    name: 'reverted-to-the-revision-behind',
    harm: 'a record gets back what it was after the change that the revert was to take back',
    edits: [
      {
        file: UNDO,
        is: 'await earlier(id.right, revision, admitPage);',
        becomes: 'await earlier(id.right, revision + 1n, admitPage);',
      },
    ],
  },
  {
    name: 'restored-without-owners',
    harm: 'a business that was deleted comes back without those who own it',
    edits: [
      {
        file: BUSINESS,
        is: "state._tag === 'Deleted' ? { ...state, _tag: 'Active' } : state;",
        becomes: "state._tag === 'Deleted' ? { ...state, owners: [], _tag: 'Active' } : state;",
      },
    ],
  },
  {
    name: 'reverted-file-not-taken-up',
    harm: 'an event says that an earlier file is back, and the document keeps the newer one',
    edits: [
      {
        file: DOCUMENT,
        is: 'return file === undefined ? reverted : { ...reverted, file, uploaded };',
        becomes: 'return file === undefined ? reverted : { ...reverted, uploaded };',
      },
    ],
  },
  {
    name: 'reverted-file-uploaded-anew',
    harm: 'a file that comes back counts as uploaded by who has brought it back',
    edits: [
      {
        file: DOCUMENT,
        is: 'return file === undefined ? reverted : { ...reverted, file, uploaded };',
        becomes:
          'return file === undefined ? reverted : { ...reverted, file, uploaded: uploaded === null ? null : stamp };',
      },
    ],
  },
  {
    name: 'preview-carried-out',
    harm: 'who only asks what would change has changed it',
    edits: [
      {
        file: UNDO,
        is: 'const foreseen = await foresee(context,',
        becomes: 'await undo(context, id, step.undo);\n  const foreseen = await foresee(context,',
      },
    ],
  },
  {
    name: 'key-of-an-undo-not-looked-at',
    harm: 'a revert that is repeated with its key takes back what others have changed since',
    edits: [
      {
        file: 'src/application/business/use-cases.ts',
        is: 'changeAs(context, businessId, command, request, until),',
        becomes: 'changeAs({ ...context, idempotencyKey: undefined }, businessId, command, request, until),',
      },
    ],
  },
  {
    name: 'deleted-row-forgets-its-owners',
    harm: 'rows show a restored business without owners, where they were resumed while it was deleted',
    given: [
      {
        file: 'projections/engine/rows/apply-to-entities.ts',
        is: 'const CACHE = { entities: 2_500,',
        becomes: 'const CACHE = { entities: 1,',
      },
    ],
    edits: [
      {
        file: 'projections/businesses.ts',
        is: "{ _tag: 'Deleted', ...businessIn(deleted, since) };",
        becomes: "{ _tag: 'Deleted', ...businessIn(deleted, since), owners: [] };",
      },
    ],
  },
];
