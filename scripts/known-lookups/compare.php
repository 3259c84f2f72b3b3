<?php
// Compares versions as docs/snapshot-format.md orders them, with PHP's own version_compare. Reads a JSON array of
// [scheme, a, b] from standard input, writes a JSON array of -1, 0 or 1. Shares no code with the server.

/** Trimmed, lower-cased, without one leading v. */
function normalise(string $version): string
{
    $version = strtolower(trim($version));
    return str_starts_with($version, 'v') ? substr($version, 1) : $version;
}

/** Both padded with 0 to the length of the longer one. */
function padded(array $a, array $b): array
{
    $count = max(count($a), count($b));
    return [array_pad($a, $count, '0'), array_pad($b, $count, '0')];
}

function compare(string $scheme, string $a, string $b): int
{
    $a = normalise($a);
    $b = normalise($b);
    if ($scheme === 'php') return version_compare($a, $b);
    if ($scheme === 'wordpress') {
        // Runs of digits and runs of letters; anything else separates them.
        preg_match_all('/[0-9]+|[a-z]+/', $a, $left);
        preg_match_all('/[0-9]+|[a-z]+/', $b, $right);
        [$left, $right] = padded($left[0], $right[0]);
        return version_compare(implode('.', $left), implode('.', $right));
    }
    // decimal; the sample writes such versions with digits and dots only.
    if (preg_match('/^[0-9]+(\.[0-9]+)*$/', $a) !== 1 || preg_match('/^[0-9]+(\.[0-9]+)*$/', $b) !== 1) {
        fwrite(STDERR, "compare.php: $a and $b are not plain decimals\n");
        exit(1);
    }
    [$left, $right] = padded(explode('.', $a), explode('.', $b));
    foreach ($left as $i => $part) {
        $width = max(strlen($part), strlen($right[$i]));
        $order = version_compare(str_pad($part, $width, '0'), str_pad($right[$i], $width, '0'));
        if ($order !== 0) return $order;
    }
    return 0;
}

$pairs = json_decode(stream_get_contents(STDIN), true, 8, JSON_THROW_ON_ERROR);
echo json_encode(array_map(fn (array $pair): int => compare(...$pair), $pairs), JSON_THROW_ON_ERROR);
