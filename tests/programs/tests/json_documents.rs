//! Documents as inputs and outputs: JSON text in `BYTES` tensors.

use pytriton::elements::Json;
use pytriton::error::CallError;
use pytriton::prelude::*;
use pytriton::testing;
use serde::{Deserialize, Serialize};

mod http;

#[derive(Clone, Deserialize, Serialize)]
struct Order {
    customer: String,
    amounts: Vec<u32>,
}

#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
struct Invoice {
    customer: String,
    total: u32,
}

#[pytriton::model(name = "Invoice", client = InvoiceModel, max_batch_size = 32)]
#[batch]
fn invoice(#[input(shape = [1])] order: Array2<Json<Order>>) -> Array2<Json<Invoice>> {
    order.mapv_into_any(|Json(Order { customer, amounts })| {
        Json(Invoice {
            customer,
            total: amounts.iter().sum(),
        })
    })
}

#[pytriton::test]
async fn orders_become_invoices(invoice: Call<InvoiceModel>) -> Result<(), CallError> {
    let order = Order {
        customer: "Ada".to_owned(),
        amounts: vec![3, 4],
    };
    let invoices = invoice.call(array![[Json(order)]]).await?;
    assert_eq!(
        invoices[[0, 0]].0,
        Invoice {
            customer: "Ada".to_owned(),
            total: 7
        }
    );
    Ok(())
}

#[test]
fn invalid_documents_are_refused() {
    let served = testing::serve_registered().unwrap();
    let path = "/v2/models/Invoice/generate";
    let order = r#"{"order": "{\"customer\": \"Ada\", \"amounts\": [1]}"}"#;
    let response = http::request(served.http(), "POST", path, order);
    assert!(
        response.contains(r#"{\"customer\":\"Ada\",\"total\":1}"#),
        "{response}"
    );
    let response = http::request(
        served.http(),
        "POST",
        path,
        r#"{"order": "{\"customer\": 1}"}"#,
    );
    assert!(response.starts_with("HTTP/1.1 400"), "{response}");
    assert!(response.contains("order"), "{response}");
}
