//! Whom TLS trusts.

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use rustls::{ClientConfig, RootCertStore};
use std::path::Path;
use std::sync::Arc;

/// Trusts brokers for whom somebody in this file vouches; without a file, somebody whom this machine trusts.
pub(super) fn config(ca: Option<&Path>) -> Result<Arc<ClientConfig>, String> {
    let mut trusted = RootCertStore::empty();
    match ca {
        Some(file) => {
            let wrong = |why: &dyn std::fmt::Display| {
                format!("failed to read certificates from `{}`: {why}", file.display())
            };
            for certificate in CertificateDer::pem_file_iter(file).map_err(|error| wrong(&error))? {
                let certificate = certificate.map_err(|error| wrong(&error))?;
                trusted.add(certificate).map_err(|error| wrong(&error))?;
            }
            if trusted.is_empty() {
                return Err(wrong(&"there are none"));
            }
        }
        None => {
            let (added, _) =
                trusted.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
            if added == 0 {
                return Err("this machine trusts nobody: set `ca` in `[mqtt]` to the file of who vouches for the broker".into());
            }
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| format!("failed to set up TLS: {error}"))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    Ok(Arc::new(config))
}
