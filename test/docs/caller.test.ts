import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { callerExample } from '../../src/http/caller/routes.js';

describe('who asks, in docs/api.md', () => {
  it('is told what the description of the API has as its example', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const example = /\n## Who asks\n[\s\S]*?```json\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    expect(JSON.parse(example)).to.deep.equal(callerExample);
  });
});
