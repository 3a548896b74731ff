import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from '@jest/globals';

const tracked = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
  encoding: 'utf8',
})
  .split('\0')
  .filter((name) => name && existsSync(name));
const markdown = tracked.filter((name) => name.endsWith('.md'));
const sources = tracked.filter((name) =>
  /\.(ts|mjs|py|sh|yaml|yml|tpl|xml|md)$|(^|\/)(Dockerfile|run)$/.test(name),
);

describe('references to documents', () => {
  it('lead from page to page, and to headings that are there', () => {
    const broken = markdown.flatMap((page) =>
      linksOf(page)
        .filter(({ file, anchor }) => !existsSync(file) || (anchor && !anchorsOf(file).has(anchor)))
        .map(({ text }) => `${page}: ${text}`),
    );
    expect(broken).toEqual([]);
  });

  it('in code name documents and sections that are there', () => {
    const broken = sources.flatMap((name) =>
      [
        ...readFileSync(name, 'utf8').matchAll(
          /(?<![/\w])(docs\/(?:[\w/-]+\.md|\w[\w-]*\/[\w./-]+\.json))(?:`?,(?:\s|\*|\/\/|#)+"([^"\n]+)")?/g,
        ),
      ]
        .filter(([, file, section]) => !existsSync(file!) || (section && !hasSection(file!, section)))
        .map(([text]) => `${name}: ${text}`),
    );
    expect(broken).toEqual([]);
  });

  it('name every page of docs/ in its index, a runbook in that of the runbooks', () => {
    const indexes = ['docs/README.md', 'docs/runbooks/README.md'];
    const named = new Set(indexes.flatMap((page) => linksOf(page).map(({ file }) => file)));
    expect(
      markdown.filter((page) => /^docs\/.+/.test(page) && page !== 'docs/README.md' && !named.has(page)),
    ).toEqual([]);
  });
});

function linksOf(page: string): { text: string; file: string; anchor?: string }[] {
  return [...withoutFences(page).matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, text]) => text!)
    .filter((text) => !/^[a-z]+:/.test(text))
    .map((text) => {
      const [path, anchor] = text.split('#');
      return { text, file: path ? normalize(join(dirname(page), path)) : page, ...(anchor && { anchor }) };
    });
}

/** The anchors that GitHub gives to the headings of a page. */
function anchorsOf(page: string): Set<string> {
  return new Set([...withoutFences(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) => slug(heading!)));
}

/** Sections are named without their number, and by the beginning of their heading. */
function hasSection(page: string, section: string): boolean {
  return [...anchorsOf(page)].some((anchor) => anchor.replace(/^\d+-/, '').startsWith(slug(section)));
}

function slug(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}_\- ]/gu, '')
    .replaceAll(' ', '-');
}

function withoutFences(page: string): string {
  return readFileSync(page, 'utf8').replaceAll(/^ *```.*?^ *```$/gms, '');
}
