import type { PlantedFault } from '../planted-fault.js';

const SIGNING = 'src/sealing/keep-signing.ts';
const TREE = 'src/sealing/sign-tree.ts';

/** Of how the log is sealed. */
export const faultsOfSealing: ReadonlyArray<PlantedFault> = [
  {
    name: 'tree-signed-before-the-log-is-level',
    harm: 'a tree that lacks events which were signed before is signed, or said to be cut',
    edits: [
      {
        file: SIGNING,
        is: 'if (!(await isComplete())) return;',
        becomes: '',
      },
      {
        file: TREE,
        is: "if (size < signed) return fault('Shorter');",
        becomes: 'if (size < signed) return E.right(undefined);',
      },
    ],
  },
  {
    name: 'only-the-first-checkpoint-recorded',
    harm: 'checkpoints are handed on of which the database knows nothing',
    edits: [
      {
        file: TREE,
        is: '  await tree.record(checkpoint);\n  if ((await',
        becomes:
          '  if ((await tree.largestOf(checkpoint.origin)) !== undefined) return;\n  await tree.record(checkpoint);\n  if ((await',
      },
    ],
  },
  {
    name: 'checkpoint-noted-before-it-is-kept',
    harm: 'a checkpoint that could not be put into the storage is said to have been removed there',
    edits: [
      {
        file: 'src/sealing/noting-archive.ts',
        is: 'return E.isLeft(put) ? put : attempt(() => notes.note(checkpoint), unavailable);',
        becomes:
          'const noted = await attempt(() => notes.note(checkpoint), unavailable);\n      return E.isLeft(put) ? put : noted;',
      },
    ],
  },
  {
    name: 'last-checkpoint-not-kept-at-the-end',
    harm: 'a service that stops leaves its last checkpoint in the database alone',
    edits: [{ file: SIGNING, is: '        await putNewest(true);\n', becomes: '' }],
  },
];
