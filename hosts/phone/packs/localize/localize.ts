import type { Pack } from "../../modules/Pack.ts"
import { has24Hours, isRtl, locales, separators, timeZone } from "../../runtime/locale.ts"

/** The countries that don't use the metric system. */
const imperial = /^(?:US|LR|MM)$/

const country = (): string => locales()[0]?.countryCode ?? "US"

/** react-native-localize: the language of the settings, or those of the browser. */
export const localize: Pack = {
  partial: () => ({
    RNLocalize: {
      getCalendar: () => "gregorian",
      getCountry: country,
      getCurrencies: () => [country() === "US" ? "USD" : "EUR"],
      getLocales: () => locales().map((one) => ({ ...one, isRTL: isRtl(one.languageCode) })),
      getNumberFormatSettings: separators,
      getTemperatureUnit: () => (country() === "US" ? "fahrenheit" : "celsius"),
      getTimeZone: timeZone,
      uses24HourClock: has24Hours,
      usesMetricSystem: () => !imperial.test(country()),
      usesAutoDateAndTime: () => null,
      usesAutoTimeZone: () => null
    }
  })
}
