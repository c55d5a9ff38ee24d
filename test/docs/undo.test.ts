import { readFile } from 'node:fs/promises';
import { expect } from 'chai';
import { idOf } from '../support/client.js';
import { stackOfSuite } from '../support/stack-of-suite.js';

describe('the example of undo in docs/api.md', () => {
  const { call } = stackOfSuite();

  it('is answered as it says', async () => {
    const page = await readFile('docs/api.md', 'utf8');
    const example = /<!-- example: undo -->\n\n```text\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
    let id = '';
    let answer: unknown;
    let compared = 0;
    for (const line of example.trim().split('\n')) {
      const [, method, path = '', body = ''] = /^(POST|PUT) (\S+) (.*)$/.exec(line) ?? [];
      if (method === undefined) {
        expect(answer).to.deep.equal(JSON.parse(line));
        compared += 1;
        continue;
      }
      const reply = await call(method, path.replace('{id}', id), { body: JSON.parse(body) as unknown });
      expect(reply.status, line).to.equal(200);
      if (id === '') id = idOf(reply);
      answer = reply.json;
    }
    expect(compared).to.equal(2);
  });
});
