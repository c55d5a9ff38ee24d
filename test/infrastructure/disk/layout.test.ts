import path from 'node:path';
import { expect } from 'chai';
import { keyOf, layoutOf } from '../../../src/infrastructure/disk/layout.js';

const DOCUMENT = 'documents/019aa000-0000-7000-8000-000000000000';

describe('the layout of files on disk', () => {
  it('names a file by its key, so that a listing gives the key back', () => {
    const file = layoutOf('/root').fileOf(`${DOCUMENT}/a-B-3`);
    expect(keyOf(path.basename(file))).to.equal(`${DOCUMENT}/a-B-3`);
  });

  it('spreads objects over 256 directories, whatever their ids have in common', () => {
    const { fileOf } = layoutOf('/root');
    const shards = Array.from({ length: 4000 }, (_none, index) => path.dirname(fileOf(`${DOCUMENT}/${index}`)));
    expect(new Set(shards).size).to.equal(256);
  });

  it('finds no key in the name of a file that is none of ours', () => {
    expect(['.DS_Store', 'a.txt', '', '_', 'a__b'].map(keyOf)).to.deep.equal(Array(5).fill(undefined));
  });
});
