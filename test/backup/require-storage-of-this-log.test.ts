import { expect } from 'chai';
import { requireStorageOfThisLog } from '../../src/backup/require-storage-of-this-log.js';

describe('a storage that lacks files of a log', () => {
  const refusal = (counts: Partial<Parameters<typeof requireStorageOfThisLog>[0]>): string | undefined => {
    try {
      requireStorageOfThisLog({ copied: 0, lacking: 0, allLacking: 0, allowsMissing: false, ...counts });
      return undefined;
    } catch (error) {
      return String(error);
    }
  };

  it('is taken for that of another one when it lacks over a thousand and has none, unless they may be missing', () => {
    expect(refusal({ lacking: 1_000 })).to.equal(undefined);
    expect(refusal({ lacking: 1_001 })).to.include('give --allow-missing-files');
    expect(refusal({ lacking: 1_001, copied: 1 })).to.equal(undefined);
    expect(refusal({ lacking: 1_001, allowsMissing: true })).to.equal(undefined);
  });

  it('is refused when it lacks more than a backup can name, and no option is named that does not help', () => {
    for (const allowsMissing of [true, false]) {
      expect(refusal({ copied: 1, allLacking: 100_000, allowsMissing })).to.equal(undefined);
      expect(refusal({ copied: 1, allLacking: 100_001, allowsMissing }))
        .to.include('more than 100000 files')
        .and.not.include('--allow');
    }
  });
});
