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

it('.vscode/launch.json starts scripts that exist, the test of a file with the runner of one test', () => {
  // VS Code accepts comments there; nothing else that reads the file does.
  const { configurations } = JSON.parse(readFileSync('.vscode/launch.json', 'utf8')) as {
    configurations: { name: string; type: string; program: string; args?: string[] }[];
  };
  const programs = configurations.map(({ type, program }) => [
    type,
    program.replace(/^.*workspaceFolder.\//, ''),
  ]);
  expect(programs).toEqual([
    ['node', 'scripts/test-one.mjs'],
    ['node', 'scripts/start.mjs'],
  ]);
  expect(programs.filter(([, program]) => !existsSync(program!))).toEqual([]);
  expect(configurations[0]!.args?.[0]).toMatch(/^.\{relativeFile\}$/);
});
