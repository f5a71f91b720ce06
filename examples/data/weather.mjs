/**
 * The weather of Seattle from 2012 to 2015, day by day: measured by NOAA, collected by the authors of Vega, carried by
 * the npm package `@observablehq/sample-datasets`. As it is there, except for the name of the place.
 */
import { readCsv } from "./csv.mjs";

export function readWeather() {
  const numbers = ["precipitation", "temp_max", "temp_min", "wind"];
  return readCsv("weather.csv")
    .filter(({ location }) => location === "Seattle")
    .map(({ date, weather, ...day }) => ({ date, ...Object.fromEntries(numbers.map((name) => [name, Number(day[name])])), weather }));
}
