import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  retainSearchParams,
} from '@tanstack/react-router';
import type { ComponentType } from 'react';
import { explainedPath, Frame } from './frame/frame.tsx';
import { NotFound } from './frame/not-found.tsx';
import { NotLoaded } from './frame/not-loaded.tsx';
import { logFilters } from './views/log/filters.js';
import { Overview } from './views/overview/overview.tsx';
import { periods, queueParts } from './views/queue/period.js';
import { runFilters, victimGroupings } from './views/run/run-filters.js';

/** Reads these parameters of an address. All are texts; others are left out. */
const texts =
  <N extends string>(...names: N[]) =>
  (search: Record<string, unknown>): Partial<Record<N, string>> =>
    Object.fromEntries(
      names.flatMap((name) => (typeof search[name] === 'string' ? [[name, search[name]]] : [])),
    ) as Partial<Record<N, string>>;

/** Reads a parameter that has one of these values, and leaves out any other. */
const oneOf =
  <N extends string, V extends string>(name: N, values: readonly V[]) =>
  (search: Record<string, unknown>): Partial<Record<N, V>> => {
    const value = values.find((each) => each === search[name]);
    return (value === undefined ? {} : { [name]: value }) as Partial<Record<N, V>>;
  };

/** A view whose script is loaded when it is first shown. The router would load the whole page again where that fails, and lose it. */
const view = <T extends Record<string, ComponentType>, K extends keyof T & string>(
  load: () => Promise<T>,
  name: K,
) => lazyRouteComponent<T, K>(() => load().catch(() => ({ [name]: NotLoaded }) as unknown as T), name);

/** Every view has the partition in its address, so that a link shows the same to everyone; links keep it. */
const root = createRootRoute({
  component: Frame,
  notFoundComponent: NotFound,
  validateSearch: texts('partition'),
  search: { middlewares: [retainSearchParams(['partition'])] },
});

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: Overview,
  validateSearch: texts('find', 'open'),
});

const queue = createRoute({
  getParentRoute: () => root,
  path: '/queues/$queue',
  component: view(() => import('./views/queue/queue.tsx'), 'QueueView'),
  validateSearch: (search: Record<string, unknown>) => ({
    ...oneOf('show', queueParts)(search),
    ...oneOf('period', periods)(search),
  }),
});

const runs = createRoute({
  getParentRoute: () => root,
  path: '/runs',
  component: view(() => import('./views/run/runs.tsx'), 'Runs'),
  validateSearch: oneOf('state', runFilters),
});

const run = createRoute({
  getParentRoute: () => root,
  path: '/runs/$run',
  component: view(() => import('./views/run/run.tsx'), 'RunView'),
  validateSearch: oneOf('by', victimGroupings),
});

const log = createRoute({
  getParentRoute: () => root,
  path: '/log',
  component: view(() => import('./views/log/log.tsx'), 'LogView'),
  validateSearch: texts(...logFilters, 'event'),
});

const why = createRoute({
  getParentRoute: () => root,
  path: '/why',
  component: view(() => import('./views/why/why.tsx'), 'Why'),
  validateSearch: texts('of', 'application', 'user'),
});

const explained = createRoute({
  getParentRoute: () => root,
  path: explainedPath,
  component: view(() => import('./views/why/explained.tsx'), 'Explained'),
});

const rounds = createRoute({
  getParentRoute: () => root,
  path: '/rounds',
  component: view(() => import('./views/rounds/rounds.tsx'), 'RoundsView'),
});

const replays = createRoute({
  getParentRoute: () => root,
  path: '/replays',
  component: view(() => import('./views/replays/replays.tsx'), 'Replays'),
});

const agents = createRoute({
  getParentRoute: () => root,
  path: '/agents',
  component: view(() => import('./views/agents/agents.tsx'), 'Agents'),
});

const deadLetters = createRoute({
  getParentRoute: () => root,
  path: '/dead-letters',
  component: view(() => import('./views/dead-letters/dead-letters.tsx'), 'DeadLetters'),
});

const settings = createRoute({
  getParentRoute: () => root,
  path: '/settings',
  component: view(() => import('./views/settings/settings.tsx'), 'SettingsView'),
  validateSearch: texts('queue'),
});

const whatIf = createRoute({
  getParentRoute: () => root,
  path: '/what-if',
  component: view(() => import('./views/what-if/what-if.tsx'), 'WhatIf'),
  validateSearch: (search: Record<string, unknown>) => ({
    ...oneOf('how', ['numbers', 'configuration'])(search),
    ...texts('quotas')(search),
  }),
});

export const router = createRouter({
  routeTree: root.addChildren([
    overview,
    queue,
    runs,
    run,
    log,
    why,
    explained,
    rounds,
    replays,
    agents,
    deadLetters,
    settings,
    whatIf,
  ]),
  basepath: '/ui',
  defaultPreload: 'intent',
  // Parameters stay the texts that they are: a name may be all digits.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const given = Object.entries(search).filter(([, value]) => value !== undefined && value !== '');
    return given.length === 0 ? '' : `?${new URLSearchParams(given as [string, string][])}`;
  },
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
