import { StyleSheet, Switch, Text, View } from "react-native"
import { useTheme } from "../parts/theme.js"

/** A switch beside what it does. */
export const Toggle = ({ label, hint, value, onChange, testID }) => {
  const theme = useTheme()
  return (
    <View style={styles.row}>
      <View style={styles.words}>
        <Text style={[styles.label, { color: theme.ink }]}>{label}</Text>
        <Text style={[styles.hint, { color: theme.muted }]}>{hint}</Text>
      </View>
      <Switch
        accessibilityLabel={label}
        testID={testID}
        value={value}
        onValueChange={onChange}
        trackColor={{ true: theme.accent, false: theme.track }}
        thumbColor="#FFFFFF"
        activeThumbColor="#FFFFFF"
        style={styles.control}
      />
    </View>
  )
}

const styles = StyleSheet.create({
  row: { flexDirection: "row", alignItems: "center", gap: 16 },
  words: { flex: 1, gap: 2 },
  label: { fontSize: 16, fontWeight: "600" },
  hint: { fontSize: 13, lineHeight: 18 },
  control: { height: 26, width: 52 }
})
