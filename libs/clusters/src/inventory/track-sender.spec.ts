import { describe, expect, it } from '@jest/globals';
import { type ReportHeader, type SenderState, trackSender } from './track-sender.js';

const second = (seconds: number) => new Date(Date.UTC(2026, 10, 21, 10) + seconds * 1000);
const nothing: SenderState = {
  source: null,
  lastReportAt: null,
  listedSequence: 0,
  heldSequence: 0,
  newestSequence: 0,
  newestAt: null,
  confirmedSequence: 0,
  confirmedAt: null,
  rejected: null,
};
/** A sender that last reported at second 0, with a listing of sequence 90 and a report of sequence 100. */
const known: SenderState = {
  ...nothing,
  lastReportAt: second(0),
  listedSequence: 90,
  newestSequence: 100,
  newestAt: second(0),
};
const report = (sequence: number, at: number): ReportHeader => ({ kind: 'report', sequence, at: second(at) });
const page = (sequence: number, at: number): ReportHeader => ({ kind: 'page', sequence, at: second(at) });
const confirmed = (at: number, sequence?: number): ReportHeader => ({
  kind: 'confirmation',
  at: second(at),
  ...(sequence === undefined ? {} : { sequence }),
});
const track = (...headers: ReportHeader[]) => trackSender(known, headers);
const rejects = (...headers: ReportHeader[]) => track(...headers).rejected !== null;

describe('a sender', () => {
  it('has reported at the time of a report that is newer than all before', () => {
    expect(track(report(101, 5))).toMatchObject({
      lastReportAt: second(5),
      newestSequence: 101,
      newestAt: second(5),
      rejected: null,
    });
  });

  it('has reported at the time of its first report, whatever its sequence', () => {
    expect(trackSender(nothing, [report(7, 3)])).toMatchObject({
      lastReportAt: second(3),
      newestSequence: 7,
    });
  });

  it('is unchanged by late and repeated reports', () => {
    expect(track(report(50, -3), report(100, 0), report(95, 0.5))).toEqual(known);
  });

  it('reports with every page of a listing, while newer reports are sent', () => {
    const state = track(page(105, 5), report(106, 6), page(105, 60));
    expect(state).toMatchObject({ lastReportAt: second(60), newestSequence: 106, rejected: null });
    expect(trackSender(state, [page(105, 90)])).toMatchObject({ lastReportAt: second(90), rejected: null });
  });

  it('does not report with pages of a listing that is held already', () => {
    const held = { ...known, heldSequence: 100 };
    expect(trackSender(held, [page(100, 30)]).lastReportAt).toEqual(second(0));
  });

  it('whose clock was corrected reports again with its next report', () => {
    const ahead = trackSender(known, [report(101, 3600)]);
    expect(trackSender(ahead, [report(102, 5)])).toMatchObject({
      newestSequence: 102,
      newestAt: second(5),
      rejected: null,
    });
  });
});

describe('a sequence that went back', () => {
  it('is that of a sender that began again with a smaller counter', () => {
    expect(track(report(1, 5), report(2, 7))).toMatchObject({
      lastReportAt: second(0),
      newestSequence: 100,
      rejected: { at: second(7), sequence: 2, count: 2 },
    });
  });

  it('is everything after a listing with a huge sequence', () => {
    const stuck = trackSender(known, [page(Number.MAX_SAFE_INTEGER, 5), report(101, 7)]);
    expect(stuck.rejected).toMatchObject({ sequence: 101, count: 1 });
    expect(trackSender(stuck, [report(102, 30)])).toMatchObject({
      lastReportAt: second(5),
      rejected: { count: 2 },
    });
  });

  it('is found in one batch with what was before it', () => {
    expect(trackSender(nothing, [report(1, 9), report(100, 0)]).rejected).toMatchObject({ sequence: 1 });
  });

  it('is that of a listing older than the last whole one, sent after the newest report', () => {
    expect(rejects(page(3, 0.5))).toBe(true);
    expect(rejects(page(3, -1))).toBe(false);
    expect(rejects(page(90, 5))).toBe(false);
  });

  it('is not one of reports sent within a second', () => {
    expect(rejects(report(99, 1))).toBe(false);
    expect(rejects(report(99, 1.001))).toBe(true);
  });

  it('is over with a report that is newer than all, and sent later', () => {
    const rejected = track(report(1, 5));
    expect(trackSender(rejected, [report(101, 4)]).rejected).toMatchObject({ count: 1 });
    expect(trackSender(rejected, [report(101, 6)])).toMatchObject({
      lastReportAt: second(6),
      rejected: null,
    });
  });
});

describe('a confirmation', () => {
  it('without a sequence counts as a report', () => {
    expect(track(confirmed(5))).toMatchObject({
      lastReportAt: second(5),
      newestAt: second(0),
      confirmedSequence: 0,
    });
  });

  it('without a sequence refreshes nothing while the sequence of reports goes back', () => {
    const rejected = track(report(1, 5));
    expect(trackSender(rejected, [confirmed(30)])).toEqual(rejected);
    expect(track(report(1, 5), confirmed(6)).lastReportAt).toEqual(second(0));
  });

  it('of the newest sequence counts as a report, and dates the newest sequence', () => {
    expect(track(confirmed(5, 100))).toMatchObject({
      lastReportAt: second(5),
      newestAt: second(5),
      confirmedSequence: 100,
    });
  });

  it('of a lower sequence than the newest went back', () => {
    expect(track(confirmed(5, 7))).toMatchObject({
      lastReportAt: second(0),
      confirmedSequence: 0,
      rejected: { sequence: 7 },
    });
  });

  it('of a sequence that was never taken shows that reports are missing', () => {
    const missing = track(confirmed(5, 103));
    expect(missing).toMatchObject({ confirmedSequence: 103, newestSequence: 100 });
    expect(trackSender(missing, [confirmed(3, 100)])).toMatchObject({ confirmedSequence: 103 });
  });
});
