import { describe, expect, it } from '@jest/globals';
import { CallerPlaces } from './turns.js';

const team = (name: string) => ({ name, isOperator: false });
const operator = { name: '192.0.2.1', isOperator: true };

describe('places', () => {
  it('are limited for each caller that is no operator, and some are kept for operators', () => {
    const places = new CallerPlaces({ all: 5, kept: 2, each: 2 });
    const take = (...callers: { name: string; isOperator: boolean }[]) =>
      callers.map((caller) => {
        const taken = places.take(caller);
        return typeof taken === 'string' ? taken : 'taken';
      });
    expect(take(team('a'), team('a'), team('a'))).toEqual(['taken', 'taken', 'each']);
    expect(take(team('b'), team('b'), team('c'))).toEqual(['taken', 'all', 'all']);
    expect(take(operator, operator, operator)).toEqual(['taken', 'taken', 'all']);
  });

  it('are given back once, to whoever asks next', () => {
    const places = new CallerPlaces({ all: 2, kept: 0, each: 1 });
    const leave = places.take(team('a')) as () => void;
    expect(places.take(team('a'))).toBe('each');
    leave();
    leave();
    expect(typeof places.take(team('a'))).toBe('function');
    expect(typeof places.take(operator)).toBe('function');
    expect(places.take(operator)).toBe('all');
    expect(places.take(team('b'))).toBe('all');
  });

  it('that operators have taken are taken from all', () => {
    const places = new CallerPlaces({ all: 3, kept: 1, each: 3 });
    for (let taken = 0; taken < 3; taken++) expect(typeof places.take(operator)).toBe('function');
    expect(places.take(team('a'))).toBe('all');
  });
});
