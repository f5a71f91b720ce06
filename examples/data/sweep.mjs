/**
 * A sweep over the two parameters of a trading rule, 30 × 30: hold a share while the average of its last `fast` closing
 * prices is above that of the last `slow` ones. The prices are Apple's from 2013 to 2018, from Yahoo! Finance as the npm
 * package `@observablehq/sample-datasets` carries them; the score is the yearly Sharpe ratio.
 */
import { readCsv } from "./csv.mjs";

const FAST = Array.from({ length: 30 }, (_, at) => 2 * (at + 1));
const SLOW = Array.from({ length: 30 }, (_, at) => 10 * (at + 1));
const TRADING_DAYS = 252;

export function readSweep() {
  const days = readCsv("aapl.csv").map((row) => ({ date: row.Date, close: Number(row["Adj Close"]) }));
  return SLOW.flatMap((slow) => FAST.map((fast) => (fast < slow ? backtest(days, fast, slow) : { fast, slow, feasible: false, score: null })));
}

function backtest(days, fast, slow) {
  const [returns, trades] = [[], []];
  let trade;
  for (let day = slow; day < days.length; day++) {
    // What the averages of the days before say holds for this day.
    const holds = average(days, day, fast) > average(days, day, slow);
    const change = days[day].close / days[day - 1].close - 1;
    returns.push(holds ? change : 0);
    if (holds && trade === undefined) trade = { bought: days[day - 1].date, value: 1, days: 0 };
    if (holds) trade = { ...trade, sold: days[day].date, value: trade.value * (1 + change), days: trade.days + 1 };
    if (trade !== undefined && (!holds || day === days.length - 1)) {
      trades.push(trade);
      trade = undefined;
    }
  }
  const mean = sum(returns) / returns.length;
  const deviation = Math.sqrt(sum(returns.map((change) => (change - mean) ** 2)) / returns.length);
  const total = returns.reduce((value, change) => value * (1 + change), 1);
  const won = trades.filter(({ value }) => value > 1);
  const byValue = trades.toSorted((a, b) => b.value - a.value);
  return {
    fast,
    slow,
    feasible: true,
    score: round((mean / deviation) * Math.sqrt(TRADING_DAYS)),
    return: { total: round(total - 1), yearly: round(total ** (TRADING_DAYS / returns.length) - 1) },
    volatility: round(deviation * Math.sqrt(TRADING_DAYS)),
    drawdown: round(drawdown(returns)),
    exposure: round(sum(trades.map((trade) => trade.days)) / returns.length),
    trades: trades.length,
    won: won.length,
    best: tell(byValue[0]),
    worst: tell(byValue.at(-1)),
  };
}

const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);
const round = (number) => Math.round(number * 1e4) / 1e4 + 0;
const average = (days, end, length) => sum(days.slice(end - length, end).map(({ close }) => close)) / length;
const tell = ({ bought, sold, value }) => ({ bought, sold, return: round(value - 1) });

/** The most that was lost from a peak. */
function drawdown(returns) {
  let [value, peak, most] = [1, 1, 0];
  for (const change of returns) {
    value *= 1 + change;
    peak = Math.max(peak, value);
    most = Math.max(most, 1 - value / peak);
  }
  return most;
}
