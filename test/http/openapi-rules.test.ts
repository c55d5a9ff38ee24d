import { createConfig, lintFromString } from '@redocly/openapi-core';
import spectral, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { expect } from 'chai';
import { auditTable } from '../support/audit-table.js';
import { startMemoryStack } from '../support/memory-stack.js';

describe('the description of the API, by the recommended rules', () => {
  let source: string;

  before(async () => {
    const metrics = () => Promise.resolve({ contentType: 'text/plain', body: '' });
    const stack = await startMemoryStack({ routes: auditTable(), metrics });
    source = await (await fetch(`${stack.baseUrl}/openapi.json`)).text();
    await stack.stop();
  });

  it('of Redocly', async () => {
    const config = await createConfig({ extends: ['recommended'] });
    const found = await lintFromString({ source, config });
    const said = found.map(({ ruleId, message, location }) => `${ruleId} ${location[0]?.pointer ?? ''} ${message}`);
    expect(said).to.deep.equal([]);
  });

  it('of Spectral', async () => {
    const linter = new spectral.Spectral();
    // reason: the type asks for `extends`, which a ruleset need not have
    const oas = rulesets.oas as unknown as RulesetDefinition;
    linter.setRuleset({ extends: [[oas, 'recommended']] });
    const found = await linter.run(JSON.parse(source) as Record<string, unknown>);
    expect(found.map(({ code, path, message }) => `${code} ${path.join('/')} ${message}`)).to.deep.equal([]);
  });
});
