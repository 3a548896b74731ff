import { describe, expect, it } from '@jest/globals';
import { barChart, csvText } from './report-lines.js';

describe('comma-separated values', () => {
  it.each([
    ['root.a', 'root.a'],
    ['a,b', '"a,b"'],
    ['say "x"\n', '"say ""x""\n"'],
    ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
    ['-12.5', '-12.5'],
    ['-a', "'-a"],
  ])('hold %j', (cell, expected) => {
    expect(csvText([[cell, '1']])).toBe(`${expected},1\r\n`);
  });
});

describe('a bar chart', () => {
  it('has bars as long as their values, and text that stays text', () => {
    const svg = barChart('Work & loss', [
      { name: '<script>alert(1)</script>', value: 40, label: '40 B·h' },
      { name: 'b\u0000\ud800', value: 10, label: '"10" B·h' },
    ]);
    const [first, second] = [...svg.matchAll(/<rect .*?width="(\d+)"/g)].map(([, length]) => Number(length));
    expect(first).toBe(4 * second!);
    expect(svg).toContain('<title>Work &amp; loss</title>');
    expect(svg).toContain('&lt;script&gt;alert(1)&lt;/script&gt;');
    expect(svg).not.toContain('<script');
    expect(svg).toContain('b\ufffd\ufffd<');
    expect(svg).toContain('&quot;10&quot; B·h');
  });

  it('states that there is nothing', () => {
    expect(barChart('x', [])).toContain('nothing was evicted');
  });
});
