import type { PlantedFault } from '../planted-fault.js';

const ERASE = 'src/application/erasure/erase.ts';
const PORTS = 'src/cli/erase/erase-ports.ts';

/** Of how data is erased. */
export const faultsOfErasing: ReadonlyArray<PlantedFault> = [
  {
    name: 'keys-not-destroyed',
    harm: 'what is said to be erased can still be read in the log',
    edits: [{ file: PORTS, is: 'await keyControl.destroy(places);', becomes: '' }],
  },
  {
    name: 'old-keys-kept-by-a-process',
    harm: 'a process goes on to show what was erased',
    edits: [
      {
        file: 'src/infrastructure/open-encryption.ts',
        is: 'if (other !== undefined) this.take(other);',
        becomes: 'if (other !== undefined) this.#stored = other;',
      },
    ],
  },
  {
    name: 'erased-before-each-process-knows',
    harm: 'a command says that nothing is left, and a process shows it for some seconds more',
    edits: [{ file: PORTS, is: 'await runtime.clock.sleep(KNOWN_TO_ALL_MS);', becomes: '' }],
  },
  {
    name: 'ledger-not-written-anew',
    harm: 'auditors are shown what was erased',
    edits: [{ file: ERASE, is: '        await rows.rewrite(events);\n', becomes: '' }],
  },
  {
    name: 'row-of-an-erased-record-left',
    harm: 'a record that was erased is shown and found',
    edits: [
      {
        file: 'src/domain/business/state.ts',
        is: "if (events === 'all') return { _tag: 'Erased' };",
        becomes: "if (events === 'all') return state;",
      },
    ],
  },
  {
    name: 'erased-owner-left',
    harm: 'a business goes on to name an owner whose data was erased',
    edits: [
      {
        file: 'src/domain/business/state.ts',
        is: 'return withoutOwners(state, (at) => covers(events, BigInt(revision), BigInt(state.since[at] ?? revision)));',
        becomes: 'return state;',
      },
    ],
  },
  {
    name: 'files-of-an-erased-document-left',
    harm: 'the files of a document that was erased stay in the storage',
    edits: [{ file: ERASE, is: '    for (const record of records) await this.#removeFiles(record);\n', becomes: '' }],
  },
  {
    name: 'cut-off-erasures-not-ended',
    harm: 'an erasure whose command was killed never ends',
    edits: [
      {
        file: ERASE,
        is: 'if (unfinished.length === 0) continue;',
        becomes: 'if (unfinished.length <= 1_000) continue;',
      },
    ],
  },
  {
    name: 'rows-of-what-is-being-erased-are-drift',
    harm: 'an alarm is raised over each erasure that a comparison of rows meets',
    edits: [
      {
        file: 'projections/engine/verify/find-drift.ts',
        is: '? undefined : drift;',
        becomes: '? drift : drift;',
      },
    ],
  },
];
