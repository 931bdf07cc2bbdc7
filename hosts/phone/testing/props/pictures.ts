/** Pictures. */
import {
  both,
  draws,
  has,
  measures,
  of,
  otherwise,
  reads,
  red,
  shown,
  side,
  tapped,
  reports,
  type Table
} from "./claims.ts"

const pixels = (wanted: Readonly<Record<string, string | RegExp>>) => draws(wanted, ".pixels")

const isBuoy = pixels({ backgroundImage: /buoy/ })

const isDot = pixels({ backgroundImage: /data:image/ })

const image: Table = {
  source: both(isBuoy, measures(48, 40)),
  "source: uri": both(isDot, measures(22, 33)),
  "source: several": isDot,
  src: isDot,
  srcSet: isDot,
  width: measures(44, 12),
  height: measures(12, 44),
  alt: has({ "aria-label": "A buoy" }),
  accessibilityLabel: has({ "aria-label": "A buoy, labelled" }),
  blurRadius: pixels({ filter: "blur(2px)" }),
  capInsets: pixels({ borderImageSource: /buoy/, borderTopWidth: "4px" }),
  crossOrigin: otherwise("nothing is fetched from elsewhere"),
  referrerPolicy: otherwise("nothing is fetched from elsewhere"),
  defaultSource: isBuoy,
  tintColor: pixels({ backgroundColor: red, maskImage: /buoy/ }),
  resizeMode: pixels({ backgroundSize: "contain" }),
  "resizeMode: cover": pixels({ backgroundSize: "cover" }),
  "resizeMode: stretch": pixels({ backgroundSize: "100% 100%" }),
  "resizeMode: repeat": pixels({ backgroundRepeat: "repeat", backgroundSize: "48px 40px" }),
  "resizeMode: center": pixels({ backgroundSize: "36px 30px", backgroundPosition: "50% 50%" }),
  "resizeMode: none": pixels({ backgroundSize: "48px 40px", backgroundPosition: "0px 0px" }),
  onLoadStart: reports("onLoadStart"),
  onLoad: reports("onLoad true"),
  onLoadEnd: reports("onLoadEnd"),
  onLayout: reports("onLayout 60"),
  onProgress: otherwise("pictures are there at once"),
  onPartialLoad: otherwise("pictures are there at once"),
  onError: reports("onError string"),
  testID: shown,
  "source, changed": of("change", tapped("changes true"), of("changes", isDot)),
  ImageBackground: both(of("on the image", reads("on it")), draws({ opacity: "0.5" })),
  objectFit: pixels({ backgroundSize: "contain" }),
  opacity: side("opacity", "0.5"),
  borderRadius: side("borderTopLeftRadius", "9px"),
  borderColor: side("borderTopColor", red),
  backgroundColor: side("backgroundColor", red),
  overflow: shown,
  "style: resizeMode": pixels({ backgroundSize: "100% 100%" }),
  "style: tintColor": pixels({ backgroundColor: red }),
  getSize: tapped("getSize 2×2"),
  getSizeWithHeaders: tapped("getSizeWithHeaders 2×2"),
  prefetch: tapped("prefetch true"),
  queryCache: tapped("queryCache object"),
  resolveAssetSource: tapped("resolveAssetSource 48×40")
}

export const pictures: Readonly<Record<string, Table>> = { image }
