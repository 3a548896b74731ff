import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

interface Project {
  root: string;
  sourceRoot: string;
  entryFile: string;
  compilerOptions: { tsConfigPath: string };
}

const { projects } = JSON.parse(readFileSync('nest-cli.json', 'utf8')) as {
  projects: Record<string, Project>;
};

it('nest-cli.json names each folder of apps', () => {
  expect(Object.keys(projects).sort()).toEqual(readdirSync('apps').sort());
});

it.each(Object.entries(projects))('nest-cli.json names files of %s that exist', (app, project) => {
  expect(project.root).toBe(`apps/${app}`);
  expect(existsSync(`${project.sourceRoot}/${project.entryFile}.ts`)).toBe(true);
  expect(existsSync(project.compilerOptions.tsConfigPath)).toBe(true);
});
