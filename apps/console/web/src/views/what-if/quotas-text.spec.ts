import { expect, it } from '@jest/globals';
import { quotasFrom, quotasText } from './quotas-text.js';

it('reads what it has written', () => {
  const quotas = { 'root.a': { memory: '120G', 'x/y,=:;%': '1' }, 'root.ü': {} };
  expect(quotasFrom(quotasText(quotas))).toEqual(quotas);
});

it('leaves out what is no limit', () => {
  expect(quotasFrom('nonsense;root.a:memory=1G,;:x=1;%zz:vcore=2')).toEqual({
    'root.a': { memory: '1G' },
    '%zz': { vcore: '2' },
  });
});
